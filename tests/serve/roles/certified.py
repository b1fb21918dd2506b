#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""certified.py BELLJAR WHO - a real belljar serve behind TLS: who a client is, its certificate says."""
import http.client
import json
import os
import shutil
import ssl
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from living import Service  # noqa: E402
from tapping import run, wait_until  # noqa: E402

BELLJAR, WHO = os.path.realpath(sys.argv[1]), sys.argv[2]
CODE = {"tool_name": "py", "language": "python", "code": "print(6 * 7)"}
NEW = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
       "-days", "2"]


class Authority:
    def __init__(self, s, name):
        self.dir, self.name, self.user = s.dir, name, s.user
        self.new(name, "-addext", "basicConstraints=critical,CA:TRUE",
                 "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def path(self, name):
        return "%s/%s.pem" % (self.dir, name)

    def new(self, name, *more):
        """One file with the certificate and its key."""
        crt, key = self.dir + "/" + name + ".crt", self.dir + "/" + name + ".key"
        subprocess.run(NEW + ["-keyout", key, "-out", crt, "-subj", "/CN=" + name, *more],
                       check=True, capture_output=True)
        with open(self.path(name), "w") as out:
            out.write(open(crt).read() + open(key).read())
        os.chmod(key, 0o600)
        if self.user:
            os.chown(key, self.user["user"], self.user["group"])

    def sign(self, name, usage):
        self.new(name, "-CA", self.dir + "/" + self.name + ".crt", "-CAkey",
                 self.dir + "/" + self.name + ".key", "-addext", "extendedKeyUsage=" + usage,
                 "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                 "-addext", "basicConstraints=critical,CA:FALSE")


def prepare(s):
    ours, foreign = Authority(s, "ours"), Authority(s, "foreign")
    ours.sign("server", "serverAuth")
    for name in ("alice", "bob", "carol"):
        ours.sign(name, "clientAuth")
    foreign.sign("mallory", "clientAuth")
    # The same name, by somebody whom nobody asked.
    os.rename(s.dir + "/alice.pem", s.dir + "/alice-ours.pem")
    foreign.sign("alice", "clientAuth")
    os.rename(s.dir + "/alice.pem", s.dir + "/alice-foreign.pem")
    text = open(s.dir + "/policy.yaml").read().replace(
        "loopback_without_key: true", "loopback_without_key: false").replace(
        "serve:\n", "serve:\n  tls: { cert: %s/server.crt, key: %s/server.key, client_ca: %s/ours.crt }\n"
        % (s.dir, s.dir, s.dir)).replace(
        "clients:\n", "clients:\n  alice: { cert: alice, tools: [py] }\n"
                      "  bob: { cert: bob, scopes: [read], tools: [sh] }\n")
    s.put_policy(text)


def ask(s, port, certificate, method, path, body=None):
    """Status and answer; None: there was no connection to speak of."""
    context = ssl.create_default_context(cafile=s.dir + "/ours.crt")
    if certificate:
        context.load_cert_chain(s.dir + "/" + certificate + ".pem")
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=context)
    try:
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except (ssl.SSLError, ConnectionError, http.client.RemoteDisconnected):
        return None
    finally:
        connection.close()


def a_certificate_says_who_its_client_is(t):
    if not shutil.which("openssl"):
        t.say("SKIP: there is no openssl to make certificates with")
        return
    s = Service(BELLJAR, as_user=WHO == "user", before=prepare, words=["--listen", "tls:127.0.0.1:0"])
    port = int(s.said["listening"][2].rpartition(":")[2])
    wait_until(s.is_ready)

    got = ask(s, port, "alice-ours", "POST", "/execute", CODE)
    t.check(got and got[0] == 200 and got[1]["output"] == "42\n", got)
    t.check(got and got[1].get("client") == "alice", got)
    names = [tool["name"] for tool in ask(s, port, "alice-ours", "GET", "/v1/tools")[1]["tools"]]
    t.check(names == ["py"], names)
    # Another certificate, other rights.
    got = ask(s, port, "bob", "POST", "/execute", CODE)
    t.check(got and got[0] == 403, got)
    names = [tool["name"] for tool in ask(s, port, "bob", "GET", "/v1/tools")[1]["tools"]]
    t.check(names == ["sh"], names)
    call = ask(s, port, "alice-ours", "GET", "/v1/calls")[1]["calls"][0]["id"]
    t.check(ask(s, port, "bob", "GET", "/v1/calls/" + call)[0] == 404, "alice's call")
    # Signed, and of nobody whom the policy knows.
    got = ask(s, port, "carol", "POST", "/execute", CODE)
    t.check(got and got[0] == 401, got)
    # Signed by somebody else, or by nobody; and a certificate that is only the service's.
    for stranger in ("mallory", "alice-foreign", None, "server"):
        got = ask(s, port, stranger, "POST", "/execute", CODE)
        t.check(got is None, (stranger, got))
    # What does not come by TLS has no certificate to be known by.
    t.check(s.ask("POST", "/execute", CODE)[0] == 401, "a key is needed")
    t.check(s.ask("POST", "/execute", CODE, unix=True)[1].get("client") == "local", "known by uid")
    t.check(s.end() == 0 and t.fine, s.lines())
    t.check("alice" in json.dumps(list(open_records(s))), "the log says who it was")
    s.forget()


def open_records(s):
    done = subprocess.run([BELLJAR, "audit", "query", "--json", "--no-index", "--log",
                           s.dir + "/audit"], capture_output=True, text=True, **s.user)
    return [json.loads(line) for line in done.stdout.splitlines()]


def refused(t, spoil, said):
    """It must not say that it is up, and then never answer."""
    made = []

    def before(s):
        made.append(s.dir)
        prepare(s)
        spoil(s)

    try:
        Service(BELLJAR, WHO == "user", words=["--listen", "tls:127.0.0.1:0"], before=before)
    except AssertionError as why:
        t.check(said in str(why), why)
    else:
        t.check(False, "it started")
    for directory in made:
        shutil.rmtree(directory)


def a_certificate_that_is_none_is_said_at_the_start(t):
    def spoil(s):
        with open(s.dir + "/server.crt", "w") as out:
            out.write("no certificate\n")

    refused(t, spoil, "serve.tls: the certificate")


def a_key_that_everybody_can_read_is_none(t):
    refused(t, lambda s: os.chmod(s.dir + "/server.key", 0o644), "is open to everybody")


run([a_certificate_says_who_its_client_is, a_certificate_that_is_none_is_said_at_the_start,
     a_key_that_everybody_can_read_is_none])
