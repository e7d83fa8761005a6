"""The cases: each file offers `entries(quick)`, its contests or ladders one by one."""
