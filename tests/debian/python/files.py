# SPDX-License-Identifier: BSD-2-Clause
"""Files and folders through os, pathlib, shutil, tempfile, glob and mmap."""

import errno, fcntl, glob, mmap, os, pathlib, shutil, stat, tempfile

os.umask(0o022)
pathlib.Path("a/b").mkdir(parents=True)
pathlib.Path("a/f").write_text("text\n" * 3)
os.symlink("f", "a/link")
os.link("a/f", "a/hard")
print(sorted(os.listdir("a")), os.stat("a/f").st_nlink, os.readlink("a/link"), oct(os.stat("a/f").st_mode))
shutil.copytree("a", "c", symlinks=True)
print(sorted(str(p) for p in pathlib.Path("c").rglob("*")), sorted(glob.glob("**/f", recursive=True)))
shutil.make_archive("packed", "gztar", "a")
shutil.unpack_archive("packed.tar.gz", "out")
print(sorted(os.listdir("out")), os.path.getsize("out/f"))
for action, words in ((os.open, ("none", 0)), (os.rmdir, ("a",)), (os.mkdir, ("a",)), (os.unlink, ("a",)),
                      (os.rename, ("a", "a/b/c")), (os.readlink, ("a/f",)), (os.listdir, ("a/f",)), (os.chdir, ("x" * 300,))):
    try:
        action(*words)
        print(action.__name__, "went well")
    except OSError as error:
        print(action.__name__, errno.errorcode[error.errno])
with open("a/f", "r+b") as file:
    with mmap.mmap(file.fileno(), 0) as view:
        view[0:4] = b"TEXT"
        print(view.find(b"text"), len(view))
    file.seek(0)
    print(file.readline(), file.tell(), os.pread(file.fileno(), 4, 5))
    print(os.ftruncate(file.fileno(), 4), file.seek(0, 2), os.pwrite(file.fileno(), b"!", 10), os.fstat(file.fileno()).st_size)
with tempfile.TemporaryFile() as file:
    file.write(b"x" * 10000)
    file.seek(5000)
    print(len(file.read()))
with tempfile.TemporaryDirectory(dir=".") as folder:
    print(os.path.isdir(folder))
print(os.path.exists(folder))
os.utime("a/f", ns=(1000000001, 2000000002))
print(os.stat("a/f").st_mtime_ns, os.access("a/f", os.R_OK), os.access("a/f", os.X_OK), os.access("none", os.F_OK))
with open("locked", "w") as one, open("locked") as other:
    fcntl.flock(one, fcntl.LOCK_EX)
    try:
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
        print("not locked")
    except BlockingIOError:
        print("locked")
print(fcntl.fcntl(0, fcntl.F_GETFD), stat.filemode(os.stat("/dev/null").st_mode), os.getcwd() == os.path.realpath("."))
for directory, names, files in os.walk("c"):
    print(directory, sorted(names), sorted(files))
shutil.rmtree("c")
print(os.path.exists("c"))
