// A least-recently-used cache with a limit in bytes. Not thread safe: its owner locks.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <utility>

namespace dollop {

template <class Key, class Value>
class ByteCache {
 public:
  explicit ByteCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::shared_ptr<const Value> find(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    entries_.splice(entries_.begin(), entries_, found->second);  // the most recently used entry comes first
    return found->second->value;
  }

  // The entry just added is kept, even if it exceeds the limit.
  void add(const Key& key, std::shared_ptr<const Value> value, std::size_t bytes) {
    if (const auto found = index_.find(key); found != index_.end()) remove(found->second);
    entries_.push_front({key, std::move(value), bytes});
    index_[key] = entries_.begin();
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && entries_.size() > 1) remove(std::prev(entries_.end()));
  }

  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    std::size_t bytes;
  };
  using Iterator = typename std::list<Entry>::iterator;
  void remove(Iterator it) {
    bytes_ -= it->bytes;
    index_.erase(it->key);
    entries_.erase(it);
  }
  std::list<Entry> entries_ = {};
  std::map<Key, Iterator> index_ = {};
  std::size_t max_bytes_, bytes_ = 0;
};

}  // namespace dollop
