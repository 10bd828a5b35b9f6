"""The reader: a model reads an ended run once and changes the playbook of its project."""

from hardwon.learn.reader.reading import process as process
