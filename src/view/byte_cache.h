// Remembers what was made last, up to a number of bytes. Not for several threads at once: its owner locks.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <utility>

namespace dollop {

template <class Key, class Value>
class ByteCache {
 public:
  explicit ByteCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::shared_ptr<const Value> find(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return {};
    entries_.splice(entries_.begin(), entries_, found->second);  // the latest used comes first
    return found->second->value;
  }

  // The entry just added stays, however large it is.
  void add(const Key& key, std::shared_ptr<const Value> value, std::size_t bytes) {
    if (const auto found = places_.find(key); found != places_.end()) remove(found->second);
    entries_.push_front({key, std::move(value), bytes});
    places_[key] = entries_.begin();
    bytes_ += bytes;
    while (bytes_ > most_bytes_ && entries_.size() > 1) remove(std::prev(entries_.end()));
  }

  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    std::size_t bytes;
  };
  using Place = typename std::list<Entry>::iterator;
  void remove(Place place) {
    bytes_ -= place->bytes;
    places_.erase(place->key);
    entries_.erase(place);
  }
  std::list<Entry> entries_ = {};
  std::map<Key, Place> places_ = {};
  std::size_t most_bytes_, bytes_ = 0;
};

}  // namespace dollop
