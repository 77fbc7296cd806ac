"""What the parts of an attack share: findings, bounded calls of the program, mutations of files."""
import pathlib
import re
import resource
import shutil
import struct
import subprocess

GIGABYTE = 1 << 30
EXTREMES = [float("nan"), float("inf"), float("-inf"), 3.4e38, 3e38, 1e38, -3e38, 1e30, 1e19, 1e10, 1e5, 1e-5, 1e-12, 1e-30, 1e-45, 0.0, -0.0,
            -1.0]
NUMBERS = ["0", "-0", "-1", "1", "1e-300", "1e300", "1e999", "-1e999", "nan", "inf", "-inf", "2147483648", "-2147483649",
           "9223372036854775808", "18446744073709551616", "0.1e-5", "1e5", "1_000", "0x10", "1e", ".", "--1", "1e-7", "1e7"]
TEXTS = ["", "\0", "\u202e", "é", "\U0001f366", "'", '"', '"""', "\\", "\\u0000", "[[", "]]", "{", "}", "=", "#", "\n", "\r\n", "\t",
         "%s%n", "../../../../etc/passwd", "/dev/zero", "a" * 5000, "sin(" * 400, "[" * 400, "1+" * 2000 + "1", "𝟙", "\ufeff"]
WORD = re.compile(r"[A-Za-z_][\w-]*|[-+]?\d[\w.+-]*")


class Finding(Exception):
    """Something that must not happen. `folder` is kept with it."""

    def __init__(self, text, folder=None):
        super().__init__(text)
        self.folder = folder


class Tools:
    """The program under attack, and a folder of its own for a part."""

    def __init__(self, program, root, folder):
        self.program, self.root, self.folder = str(program), pathlib.Path(root), pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def call(self, *arguments, seconds=60, memory=8 * GIGABYTE, allowed=(0, 2), file_size=None, **options):
        """The result of a call, whose status must be one of `allowed`; a signal never is."""

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        words = [str(a) for a in arguments]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        try:
            result = subprocess.run([self.program, *words], cwd=self.folder, timeout=seconds, preexec_fn=limit, **options)
        except subprocess.TimeoutExpired:
            raise Finding(f"{' '.join(words)}: takes longer than {seconds} s", self.folder) from None
        if result.returncode not in allowed:
            tail = (result.stderr or b"")[-600:].decode(errors="replace")
            raise Finding(f"{' '.join(words)}: exit status {result.returncode}: {tail}", self.folder)
        if result.returncode == 2 and result.stderr is not None and not 0 < len(result.stderr) < 4000:
            raise Finding(f"{' '.join(words)}: an error of {len(result.stderr)} bytes", self.folder)
        return result

    def fresh(self, name, source=None):
        """An empty folder, or a copy of another."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        if source is None:
            folder.mkdir()
        else:
            shutil.copytree(source, folder, symlinks=True)
        return folder


def mutated_bytes(random, data, others=()):
    """One to four edits of a file; some are made of another one."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at = random.randrange(len(data) + 1)
        length = random.choice((1, 1, 2, 4, 8, random.randrange(1, 200)))
        edit = random.randrange(9)
        if edit == 0 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif edit == 1 and at < len(data):
            data[at] = random.randrange(256)
        elif edit == 2:
            data[at:at] = random.randbytes(length)
        elif edit == 3:
            del data[at:at + length]
        elif edit == 4:
            data[at:at] = data[at:at + length] * random.choice((1, 2, 30))
        elif edit == 5:
            del data[at:]
        elif edit == 6:
            order = random.choice("<>")
            value = random.choice(EXTREMES)
            word = struct.pack(order + "f", value)
            if random.random() < 0.3:
                word = struct.pack(order + random.choice("IQ"), random.choice((0, 1, 2**31, 2**32 - 1, random.getrandbits(32))))
            at -= at % 4 if random.random() < 0.5 else 0
            data[at:at + len(word)] = word
        elif edit == 7:
            data[at:at + length] = bytes(length)
        elif others:
            other = random.choice(others)
            start = random.randrange(len(other) + 1)
            data[at:at + length] = other[start:start + length * random.choice((1, 10))]
    return bytes(data)


def mutated_text(random, text, others=()):
    """One to four edits of words, numbers and lines; now and then of bytes."""
    if random.random() < 0.2:
        return mutated_bytes(random, text.encode(), [o.encode() for o in others])
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        words = list(WORD.finditer(text))
        lines = text.split("\n")
        edit = random.randrange(8)
        if edit <= 2 and words:
            word = random.choice(words)
            other = random.choice(words).group()
            if word.group()[0] in "-+0123456789":
                choices = [random.choice(NUMBERS), random.choice(NUMBERS), other]
                try:
                    choices.append(repr(float(word.group()) * random.choice((-1, 1e-6, 1e-3, 0.1, 3, 1e3, 1e6))))
                except ValueError:
                    pass
                new = random.choice(choices)
            else:
                new = random.choice([other, random.choice(TEXTS), word.group()[:-1], word.group() + "x"])
            text = text[:word.start()] + new + text[word.end():]
        elif edit == 3:
            del lines[random.randrange(len(lines))]
            text = "\n".join(lines)
        elif edit == 4:
            lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
            text = "\n".join(lines)
        elif edit == 5 and others:
            lines.insert(random.randrange(len(lines) + 1), random.choice(random.choice(others).split("\n")))
            text = "\n".join(lines)
        elif edit == 6:
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(TEXTS) + text[at:]
        elif edit == 7 and words:
            at = random.randrange(len(text) + 1)
            text = text[:at] + text[at + random.choice((1, 3, 20)):]
    return text.encode(errors="surrogatepass")
