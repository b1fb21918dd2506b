# SPDX-License-Identifier: Apache-2.0
def main():
    print("main")
if __name__ == "__main__":
    main()
