# SPDX-License-Identifier: Apache-2.0
"""tls_test.py ECHO_SERVER - the same server behind TLS, with and without certificates of clients."""
import contextlib
import os
import shutil
import ssl
import subprocess
import tempfile
import time
import warnings

import echoing
from echoing import Skip, connect, get, post, read_answer, serving, test


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Certs:
    """One CA, signing a server's certificate and clients'; and a CA that nobody knows."""

    def __init__(self, d):
        self.d = d
        self.ca("ca")
        self.ca("other-ca")
        self.sign("server", "localhost", "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.sign("server2", "localhost", "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.sign("alice", "alice", "ca", "extendedKeyUsage=clientAuth")
        self.sign("mallory", "alice", "other-ca", "extendedKeyUsage=clientAuth")
        self.sign("forever", "x" * 64, "ca", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return os.path.join(self.d, name)

    def ca(self, name):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", self.path(name + ".key"), "-out", self.path(name + ".pem"),
                "-subj", "/CN=" + name, "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def sign(self, name, common, ca, extension):
        with open(self.path(name + ".ext"), "w", encoding="ascii") as f:
            f.write(extension + "\nauthorityKeyIdentifier=keyid\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", self.path(name + ".key"), "-out", self.path(name + ".csr"),
                "-subj", "/CN=" + common)
        openssl("x509", "-req", "-in", self.path(name + ".csr"), "-CA", self.path(ca + ".pem"),
                "-CAkey", self.path(ca + ".key"), "-CAcreateserial", "-days", "2",
                "-out", self.path(name + ".pem"), "-extfile", self.path(name + ".ext"))


def options(client_ca=None):
    words = ["--cert", certs.path("server.pem"), "--key", certs.path("server.key")]
    return words + (["--client-ca", certs.path(client_ca + ".pem")] if client_ca else [])


def context(client=None):
    c = ssl.create_default_context(cafile=certs.path("ca.pem"))
    if client:
        c.load_cert_chain(certs.path(client + ".pem"), certs.path(client + ".key"))
    return c


def tls_connect(server, c):
    return c.wrap_socket(connect(server), server_hostname="localhost")


def serving_tls(*words, **more):
    return serving(*words, address="tls:127.0.0.1:0", **more)


@test
def requests_over_tls():
    with serving_tls(*options()) as server:
        with tls_connect(server, context()) as s:
            assert s.version() == "TLSv1.3", s.version()
            for i in range(50):
                s.sendall(post(b"/echo", b"x" * i))
                assert read_answer(s).body == b"x" * i
            s.sendall(get(b"/peer"))
            assert b"loopback=1 unix=0 uid=-1 tls=1 cert= " in read_answer(s).body
            s.sendall(post(b"/echo", b"y" * 1000000))  # many records
            assert read_answer(s).body == b"y" * 1000000
            s.sendall(get(b"/stream?size=3000000"))
            assert read_answer(s).body == b"x" * 3000000
        server.wait_count(0)


@test
def old_versions_and_weak_ciphers_are_refused():
    with serving_tls(*options()) as server:
        c = context()
        c.maximum_version = ssl.TLSVersion.TLSv1_2
        with tls_connect(server, c) as s:
            assert s.version() == "TLSv1.2" and s.cipher()[0].startswith("ECDHE-"), s.cipher()
            assert s.compression() is None
            s.sendall(get(b"/x"))
            assert read_answer(s).status == 200
        c.set_ciphers("AES128-SHA256:AES128-SHA:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0")
        refused(server, c)
        c = context()
        c.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            c.minimum_version = ssl.TLSVersion.TLSv1
            c.maximum_version = ssl.TLSVersion.TLSv1_1
        refused(server, c)


def refused(server, c):
    try:
        with tls_connect(server, c) as s:
            s.sendall(get(b"/x"))
            answer = s.recv(100)
    except (ssl.SSLError, ConnectionError):
        return
    assert not answer, answer


@test
def a_client_needs_a_certificate_where_a_ca_is_named():
    with serving_tls(*options("ca")) as server:
        with tls_connect(server, context("alice")) as s:
            s.sendall(get(b"/peer"))
            assert b"tls=1 cert=alice " in read_answer(s).body
        with tls_connect(server, context("forever")) as s:
            s.sendall(get(b"/peer"))
            assert b"cert=" + b"x" * 64 in read_answer(s).body
        refused(server, context())
        refused(server, context("mallory"))
        server.wait_count(0)


@test
def without_a_ca_a_certificate_is_nobodys():
    with serving_tls(*options()) as server, tls_connect(server, context("mallory")) as s:
        s.sendall(get(b"/peer"))
        assert b"cert= " in read_answer(s).body


@test
def a_handshake_that_does_not_come_is_cut():
    with serving_tls("--head-ms", "800", *options()) as server:
        with connect(server) as s:
            assert s.recv(1) == b""
        with connect(server) as s:
            s.sendall(b"\x16\x03\x01")
            assert s.recv(1) == b""
        with connect(server) as s:  # plain HTTP
            s.sendall(get(b"/x"))
            with contextlib.suppress(ConnectionResetError):
                assert b"HTTP/1.1" not in echoing.read_to_end(s)
        server.wait_count(0)


@test
def deadlines_and_refusals_hold_behind_tls():
    with serving_tls("--head-ms", "1500", *options()) as server:
        with tls_connect(server, context()) as s:
            s.sendall(b"GET /x HT")
            assert read_answer(s).status == 408
        with tls_connect(server, context()) as s:
            s.sendall(b"GET /x HTTP/1.1\n\n")
            assert read_answer(s).status == 400
            assert s.recv(1) == b""
        with tls_connect(server, context()) as s:
            s.sendall(get(b"/x") + get(b"/x"))
            answer = read_answer(s)
            assert answer.headers["connection"] == "close", answer
        with tls_connect(server, context()) as s:
            s.sendall(get(b"/later"))
            server.wait_line("working")
        assert server.wait_line("over") == "over /later incomplete"


@test
def a_client_that_does_not_read_is_cut():
    with serving_tls("--write-ms", "1500", *options()) as server:
        with tls_connect(server, context()) as s:
            s.sendall(get(b"/stream?size=100000000"))
            assert server.wait_line("over") == "over /stream incomplete"
        server.wait_count(0)


@test
def bytes_one_by_one():
    raw = post(b"/echo", b"abc")
    with serving_tls(*options()) as server, tls_connect(server, context()) as s:
        for c in raw:
            s.sendall(bytes([c]))
        assert read_answer(s).body == b"abc"


@test
def a_new_certificate_is_for_new_connections():
    live = tempfile.mkdtemp(dir=certs.d)
    for kind in "pem", "key":
        shutil.copy(certs.path("server." + kind), live + "/s." + kind)
    words = ["--cert", live + "/s.pem", "--key", live + "/s.key"]
    with serving_tls(*words) as server, tls_connect(server, context()) as old:
        before = old.getpeercert(True)
        shutil.copy(certs.path("server2.pem"), live + "/s.pem")
        server.say("reload")  # the key does not fit: the old one stays
        assert "done" not in server.wait_line("reload")
        with tls_connect(server, context()) as s:
            assert s.getpeercert(True) == before
        shutil.copy(certs.path("server2.key"), live + "/s.key")
        server.say("reload")
        assert server.wait_line("reload") == "reload done"
        with tls_connect(server, context()) as s:
            assert s.getpeercert(True) != before
            s.sendall(get(b"/x"))
            assert read_answer(s).status == 200
        old.sendall(get(b"/x"))
        assert read_answer(old).status == 200


@test
def there_is_no_renegotiation():
    with serving_tls(*options()) as server:
        p = subprocess.Popen(["openssl", "s_client", "-connect", "127.0.0.1:%d" % server.port,
                              "-tls1_2", "-CAfile", certs.path("ca.pem")],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        p.stdin.write(b"R\n")
        p.stdin.flush()
        out = b""
        until = time.monotonic() + 60
        os.set_blocking(p.stdout.fileno(), False)
        while b"RENEGOTIATING" not in out or b"no renegotiation" not in out:
            out += p.stdout.read() or b""
            if p.poll() is not None or time.monotonic() > until:
                break
            time.sleep(0.05)
        p.kill()
        p.stdin.close()
        p.stdout.close()
        p.wait()
        assert b"no renegotiation" in out, out[-600:]


@test
def bad_files_are_named():
    for cert, key, word in (("server.pem", "alice.key", "key"), ("server.key", "server.key", "certificate"),
                            ("nothing.pem", "server.key", "nothing.pem"), ("server.pem", "server.pem", "key")):
        p = subprocess.run([echoing.sys.argv[1], "--cert", certs.path(cert), "--key", certs.path(key),
                            "tls:127.0.0.1:0"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           check=False)
        assert p.returncode == 1 and word in p.stderr, (cert, key, p)


if not shutil.which("openssl"):
    print("1..0 # SKIP there is no openssl to make certificates with")
else:
    with tempfile.TemporaryDirectory() as directory:
        certs = Certs(directory)
        echoing.main()
