# SPDX-License-Identifier: Apache-2.0
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
    def test_b(self): self.assertEqual(1, 2)
import sys
r = unittest.TextTestRunner(stream=open("o.txt", "w")).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
print(len(r.failures), r.testsRun)
