# Unpacks the wheels of a folder and removes them. Of Graph's client, only the models and the bodies of Outlook's actions.
import glob, os, re, sys, zipfile

unwanted = r"msgraph(?!/generated/(models/|users/item/(messages|calendar)/.*_(body|response)\.py$))"
for path in glob.glob(sys.argv[1] + "/*.whl"):
    wheel = zipfile.ZipFile(path)
    wheel.extractall(sys.argv[1], [name for name in wheel.namelist() if not re.match(unwanted, name)])
    os.remove(path)
