#!/bin/bash
. "$(dirname "$0")/lib.sh"
contract dispatch_order HB-1433
edit contracts/dispatch_order.toml 'tag = 5' 'tag = 5
retired = true'
stencil render dispatch_order; stencil release dispatch_order
edit services/dispatch/dispatch/core.py '
                         driver_phone=driver["phone"], note' '
                         note'
edit services/dispatch/tests/test_core.py ', "phone": "+49 40 5550142"}' '}' '(o.driver_ref, o.driver_phone), ("DR-204", "+49 40 5550142")' 'o.driver_ref, "DR-204"' \
  'assertEqual(order(JOB, DRIVER).encode()[5], "+49 40 5550142")' 'assertNotIn(5, order(JOB, DRIVER).encode())'
edit services/notify/notify/core.py 'def digits(phone):
    return "+" + "".join(c for c in phone if c.isdigit())


' '' '"channel": "sms", "to": digits(o.driver_phone)' '"channel": "app", "to": f"driver:{o.driver_ref}"' max_sms max_app
edit services/notify/tests/test_core.py ', 5: "+49 40 5550142"' '' '("sms", "+49405550142")' '("app", "driver:DR-204")' ', 160)' ', 240)'
frag dispatch scuttle tern HB-1433 "Orders carry no phone numbers."
frag notify haul gannet HB-1433 "Drivers are reached through the app."
ready dispatch north; ready notify attic
ship HB-1433 25W49-4 "no phone numbers in dispatch orders"
