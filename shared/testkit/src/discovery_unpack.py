# Unpacks documents from the package in the first folder: all of the package is a hundred times as much.
import sys, glob, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
for name in sys.argv[2:]:
    file = "googleapiclient/discovery_cache/documents/" + name
    open(sys.argv[1] + "/" + name, "wb").write(wheel.read(file))
