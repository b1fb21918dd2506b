# SPDX-License-Identifier: Apache-2.0
import sqlite3
c = sqlite3.connect("x.db")
c.execute("create table t(a)")
c.execute("insert into t values (1)")
c.commit()
print(c.execute("select * from t").fetchall())
