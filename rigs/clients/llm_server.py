"""Serves a small real model over HTTP on loopback.

In: the model's file and a port. Out: llama.cpp's own server, until its
standard input closes. Never more than one thread: more of them wait for each other on a busy machine.
"""

import sys

import xllamacpp

MODEL, PORT = sys.argv[1], int(sys.argv[2])

params = xllamacpp.CommonParams()
params.model.path = MODEL
params.hostnames = ["127.0.0.1"]
params.port = PORT
params.n_ctx = 4096
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
