"""Secrets where programs, files, logs and people put them, made up by a fixed seed.

Each source stands once; its texts hold `{kind}` where a value of that kind goes.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Iterator

from tests.corpora.secrets import Leak

_ALNUM = string.ascii_letters + string.digits
_WORDS = (
    *("harbor", "maple", "copper", "lantern", "meadow", "falcon", "velvet", "thunder", "orchid"),
    *("pepper", "granite", "walnut", "saffron", "juniper", "marble", "cobalt", "bramble", "timber"),
    *("willow", "ember", "quartz", "sparrow", "cinder", "hazel"),
)


def _word(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


def chosen(chance: random.Random) -> str:
    """A password that a person made up."""
    one, two = chance.sample(_WORDS, 2)
    number = chance.randint(10, 9999)
    return chance.choice(
        (
            f"{one.title()}{number}{chance.choice('!#*?$@')}",
            f"{one}{number}",
            f"{one.title()}-{two.title()}-{number}",
            f"{one[0].upper()}{one[1:].replace('a', '4').replace('e', '3')}{two.title()}{number}",
            f"{one}_{two}{chance.choice('!#@')}{number}",
        )
    )


def generated(chance: random.Random) -> str:
    """A password of a password manager, with marks that need no quotes."""
    body = _word(chance, _ALNUM + "!#%*+-?@^_", chance.randint(14, 24))
    return "k" + body + chance.choice("2468") + "Z"


KINDS: dict[str, Callable[[random.Random], str]] = {
    "chosen": chosen,
    "generated": generated,
    "either": lambda chance: chance.choice((chosen, generated))(chance),
    "alnum16": lambda chance: _word(chance, _ALNUM, 14) + "4q",
    "alnum20": lambda chance: _word(chance, _ALNUM, 18) + "7X",
    "alnum32": lambda chance: _word(chance, _ALNUM, 30) + "7x",
    "alnum40": lambda chance: _word(chance, _ALNUM, 38) + "R3",
    "alnum64": lambda chance: _word(chance, _ALNUM, 62) + "R3",
    "lower24": lambda chance: _word(chance, string.ascii_lowercase + string.digits, 22) + "9k",
    "hex16": lambda chance: _word(chance, "0123456789abcdef", 16),
    "hex32": lambda chance: _word(chance, "0123456789abcdef", 32),
    "hex40": lambda chance: _word(chance, "0123456789abcdef", 40),
    "hex64": lambda chance: _word(chance, "0123456789abcdef", 64),
    "HEX32": lambda chance: _word(chance, "0123456789ABCDEF", 32),
    "b64_24": lambda chance: base64.b64encode(chance.randbytes(18)).decode(),
    "b64_44": lambda chance: base64.b64encode(chance.randbytes(32)).decode(),
    "b64_88": lambda chance: base64.b64encode(chance.randbytes(64)).decode(),
    "url43": lambda chance: base64.urlsafe_b64encode(chance.randbytes(32)).decode().rstrip("="),
    "base32": lambda chance: _word(chance, string.ascii_uppercase + "234567", 32),
    "uuid": lambda chance: str(uuid.UUID(bytes=chance.randbytes(16), version=4)),
    "words": lambda chance: "-".join(chance.sample(_WORDS, 5)),
    "spaced": lambda chance: " ".join(chance.sample(_WORDS, 6)),
}

# name of the source, then one or more texts
SOURCES: dict[str, tuple[str, ...]] = {
    # --- networks and devices
    "wpa_supplicant": (
        'network={\n    ssid="office"\n    psk="{either}"\n    key_mgmt=WPA-PSK\n}',
    ),
    "nmcli": (
        "nmcli device wifi connect Office password {either}",
        'nmcli connection modify ap wifi-sec.key-mgmt wpa-psk wifi-sec.psk "{either}"',
    ),
    "hostapd": ("ssid=lab\nwpa=2\nwpa_passphrase={either}\nwpa_key_mgmt=WPA-PSK",),
    "cisco": (
        "username netadmin privilege 15 password 0 {chosen}",
        "enable secret 0 {chosen}",
        "tacacs-server host 10.0.0.4 key {either}",
        "crypto isakmp key {either} address 203.0.113.7",
        " neighbor 10.1.1.1 password {either}",
        "snmp-server community {chosen} RW",
        "ntp authentication-key 1 md5 {alnum16}",
    ),
    "junos": (
        'set system root-authentication plain-text-password-value "{either}"',
        'set security ike policy p1 pre-shared-key ascii-text "{either}"',
    ),
    "mikrotik": (
        "/user add name=tech group=full password={either}",
        "/interface wireless security-profiles set default wpa2-pre-shared-key={either}",
    ),
    "openwrt": (
        "\toption encryption 'psk2'\n\toption key '{either}'",
        "uci set wireless.@wifi-iface[0].key='{either}'",
    ),
    "ipsec.secrets": ('%any vpn.example.com : PSK "{b64_44}"', 'alice : EAP "{either}"'),
    "ppp": ('# client server secret IPs\n"dialup@isp" * "{either}" *',),
    "wireguard": (
        "[Interface]\nPrivateKey = {b64_44}\nAddress = 10.9.0.2/32",
        "[Peer]\nPresharedKey = {b64_44}",
        "wg set wg0 peer x preshared-key {b64_44}",
    ),
    "openvpn": ("<auth-user-pass>\nroadwarrior\n{either}\n</auth-user-pass>",),
    "radius": (
        "client office {\n  ipaddr = 10.0.0.0/8\n  secret = {either}\n}",
        'bob Cleartext-Password := "{either}"',
        "radtest bob {chosen} 127.0.0.1 0 {either}",
    ),
    "snmp": (
        "snmpwalk -v3 -u monitor -l authPriv -a SHA -A {either} -x AES -X {either} 10.0.0.1",
        "createUser monitor SHA {either} AES {either}",
    ),
    "ipmi": (
        "ipmitool -I lanplus -H 10.0.0.9 -U ADMIN -P {either} chassis status",
        "ipmitool user set password 2 {either}",
    ),
    "esphome": (
        'ota:\n  password: "{hex32}"\napi:\n  encryption:\n    key: "{b64_44}"',
        'wifi:\n  ssid: "iot"\n  password: {either}',
    ),
    "arduino": (
        '#define SECRET_WIFI_PASS "{either}"',
        'const char* wifiPass = "{either}";',
        'char pass[] = "{either}";   // your network password',
        '#define MQTT_PASS "{either}"',
    ),
    "tasmota": (
        "Backlog MqttHost 10.0.0.2; MqttUser dev; MqttPassword {either}",
        "Password1 {either}",
    ),
    "mosquitto": (
        "mosquitto_pub -h mq -u sensor -P {either} -t a/b -m 1",
        "mosquitto_passwd -b /etc/mosquitto/passwd sensor {either}",
    ),
    "zigbee": ("advanced:\n  network_key: {HEX32}", 'network_key: "{hex32}"'),
    "tuya": ('{"id": "bf2c8a", "localKey": "{alnum16}", "ip": "10.0.0.7"}', "local_key: {alnum16}"),
    "azure iot": (
        "HostName=hub.azure-devices.net;DeviceId=d1;SharedAccessKey={b64_44}",
        'primaryKey: "{b64_44}"',
    ),
    "lorawan": ('#define LORAWAN_APP_KEY "{HEX32}"', "AppKey: {HEX32}", "AppSKey = {HEX32}"),
    "homekit": ("accessory:\n  pin: 031-45-154\n  token: {hex32}",),
    "camera": (
        "rtsp://viewer:{chosen}@10.0.0.20:554/stream1",
        "http://10.0.0.20/cgi-bin/snapshot.cgi?user=admin&pwd={chosen}",
    ),
    "esptool": ("I (2041) wifi: connecting to ssid=iot pass={either}",),
    # --- shells and programs that take passwords
    "openssl": (
        "openssl enc -aes-256-cbc -in a -out b -k {either}",
        "openssl rsa -in k.pem -passin pass:{either} -out p.pem",
        "openssl pkcs12 -export -in c.pem -password pass:{either}",
        "openssl enc -d -aes-128-cbc -K {hex32}",
    ),
    "gpg": (
        "gpg --batch --passphrase {either} -c notes.txt",
        "gpg --batch --passphrase '{spaced}' --decrypt a.gpg",
    ),
    "zip": (
        "zip -P {either} out.zip a.txt",
        "unzip -P {either} out.zip",
        "7z x -p{either} data.7z",
        "7za a -mhe=on -p'{either}' x.7z dir",
    ),
    "rar": ("unrar x -p{either} data.rar", "rar a -hp{either} backup.rar /data"),
    "borg": ("BORG_PASSPHRASE='{spaced}' borg create ::x ~", "export BORG_PASSPHRASE={words}"),
    "restic": ("RESTIC_PASSWORD={words} restic backup /srv",),
    "cryptsetup": (
        "echo -n '{either}' | cryptsetup luksOpen /dev/sda2 data -",
        "echo {either} | cryptsetup luksFormat /dev/sdb -q -",
    ),
    "sudo -S": ("echo '{either}' | sudo -S apt-get update", "echo {either} | sudo -S reboot"),
    "chpasswd": ("echo 'root:{either}' | chpasswd", 'echo "deploy:{either}" | sudo chpasswd'),
    "passwd --stdin": (
        "echo {either} | passwd --stdin oracle",
        "printf '{either}\\n{either}\\n' | passwd bob",
        'echo -e "{either}\\n{either}" | smbpasswd -s -a bob',
    ),
    "useradd": ("usermod -p {either} bob", 'useradd -m -p "{either}" carol'),
    "dscl": (
        "dscl . -passwd /Users/bob {either}",
        "sysadminctl -addUser ci -password {either} -admin",
    ),
    "security": (
        "security unlock-keychain -p {either} build.keychain",
        "security import cert.p12 -k build.keychain -P {either} -T /usr/bin/codesign",
        "security add-generic-password -a me -s svc -w {either}",
    ),
    "net user": ("net user backup {either} /add", "net user Administrator {either}"),
    "schtasks": (
        "schtasks /create /tn job /tr a.bat /ru CORP\\svc /rp {either}",
        "cmdkey /add:fs01 /user:CORP\\svc /pass:{either}",
    ),
    "powershell": (
        '$pw = ConvertTo-SecureString "{either}" -AsPlainText -Force',
        "New-LocalUser -Name ci -Password (ConvertTo-SecureString '{either}' -AsPlainText -Force)",
        '$cred = New-Object System.Net.NetworkCredential("svc", "{either}", "CORP")',
    ),
    "winexe": (
        "winexe -U CORP/admin%{either} //10.0.0.5 cmd",
        "evil-winrm -i 10.0.0.5 -u admin -p '{either}'",
        "xfreerdp /v:10.0.0.5 /u:admin /p:{either}",
        "rdesktop -u admin -p {either} 10.0.0.5",
    ),
    "mount": (
        "mount -t cifs //nas/share /mnt -o username=bob,password={either},uid=1000",
        "//nas/share /mnt cifs user=bob,pass={either} 0 0",
    ),
    "lftp": (
        "lftp -u bob,{either} ftp.example.com",
        "open -u deploy,{either} sftp://files.example.com",
    ),
    "ftp": (
        "user anonymous2 {either}\nbinary\nput a.zip",
        "USER deploy\r\nPASS {either}\r\n230 Login ok",
        "ncftpput -u deploy -p {either} ftp.example.com / a.zip",
    ),
    "wget": (
        "wget --user=bob --password='{either}' https://files.example.com/a",
        "wget --http-user=bob --http-passwd={either} http://x/a",
    ),
    "httpie": (
        "http -a bob:{either} https://api.example.com/me",
        "xh --auth bob:{either} get https://api.example.com",
    ),
    "expect": (
        'expect "assword:"\nsend "{either}\\r"',
        'expect "Password: " { send "{either}\\n" }',
    ),
    "plink": (
        "plink -ssh bob@host -pw {either} uptime",
        "pscp -pw {either} a.txt bob@host:",
        'winscp.com /command "open sftp://bob:{either}@host"',
    ),
    "sshpass": ("SSHPASS='{either}' sshpass -e ssh bob@host", "sshpass -p'{either}' scp a host:"),
    "ssh-keygen": (
        "ssh-keygen -t ed25519 -N '{either}' -f id",
        "ssh-keygen -p -P {either} -N {either} -f id",
    ),
    "keytool": (
        "keytool -importkeystore -srcstorepass {either} -deststorepass {either}",
        "jarsigner -keystore k.jks -keypass {either} app.jar alias",
        "-Djavax.net.ssl.trustStorePassword={either}",
    ),
    "gradle": (
        "storePassword '{either}'\nkeyPassword '{either}'",
        "RELEASE_STORE_PASSWORD={either}",
        "signing.password={either}",
    ),
    "signtool": (
        "signtool sign /f cert.pfx /p {either} app.exe",
        "codesign --sign X && xcrun altool --username a@b.co --password {either}",
    ),
    "htpasswd": ("htpasswd -b /etc/nginx/.htpasswd bob {either}", "htpasswd -nb admin {either}"),
    "kinit": (
        "echo {either} | kinit bob@CORP.EXAMPLE",
        "kadmin -p admin/admin -w {either} -q listprincs",
        "addprinc -pw {either} host/web1",
    ),
    "ldap": (
        "ldapsearch -x -D cn=admin,dc=ex -w {either} -b dc=ex",
        "ldappasswd -s {either} -x uid=bob",
        "olcRootPW: {either}",
        "bindpw {either}",
        "userPassword: {either}",
    ),
    "samba": ("smbclient //nas/pub -U 'bob%{either}'", "rpcclient -U bob%{either} dc1"),
    "rsync": ("RSYNC_PASSWORD={either} rsync a host::mod",),
    "rclone": (
        "rclone config create box sftp host h user bob pass {either}",
        "[box]\ntype = sftp\nuser = bob\npass = {url43}",
    ),
    "vnc": ("x11vnc -passwd {chosen} -forever", "vncpasswd <<< '{chosen}'"),
    "tmate history": (
        "  412  export PGPASSFILE=; psql 'host=db user=app password={either}'",
        "  413  su - oracle -c 'sqlplus / as sysdba' # pw {either}",
    ),
    "docker login": (
        "docker login -u bot -p {url43} registry.example.com",
        "podman login --username bot --password {either} quay.example.com",
        "helm registry login -u bot -p {either} r.example.com",
    ),
    "docker config": (
        '{"auths": {"r.example.com": {"auth": "{b64_44}"}}}',
        '"identitytoken": "{url43}"',
    ),
    "compose": (
        "    environment:\n      - MYSQL_ROOT_PASSWORD={either}\n      - TZ=UTC",
        "      MINIO_ROOT_PASSWORD: {either}",
        "      RABBITMQ_DEFAULT_PASS: {either}",
        "      PGADMIN_DEFAULT_PASSWORD: {either}",
    ),
    # --- databases
    "mysql": (
        "mysqldump -h db -u app --password='{either}' shop",
        "mysqladmin -u root password '{either}'",
        "GRANT ALL ON shop.* TO 'app'@'%' IDENTIFIED BY '{either}';",
        '[client]\nuser=app\npassword="{either}"',
        "CHANGE MASTER TO MASTER_USER='repl', MASTER_PASSWORD='{either}';",
    ),
    "postgres": (
        "CREATE ROLE app LOGIN ENCRYPTED PASSWORD '{either}';",
        'psql "host=db dbname=shop user=app password={either} sslmode=require"',
        "primary_conninfo = 'host=a user=repl password={either}'",
        "OPTIONS (user 'app', password '{either}')",
    ),
    "oracle": (
        "sqlplus system/{chosen}@orcl",
        "ALTER USER scott IDENTIFIED BY {chosen};",
        "expdp hr/{chosen} directory=d dumpfile=x",
        "impdp \\'sys/{chosen} as sysdba\\'",
    ),
    "mssql": (
        "sqlcmd -S db -U sa -P {either} -Q 'select 1'",
        "CREATE LOGIN app WITH PASSWORD = N'{either}';",
        "bcp shop.dbo.t out t.dat -U sa -P {either}",
        "SA_PASSWORD={either}",
        "Data Source=db;Initial Catalog=s;User Id=app;Pwd={either};",
    ),
    "mongo": (
        "mongo --username app --password {either} --authenticationDatabase admin",
        "db.createUser({ user: 'app', pwd: '{either}', roles: ['root'] })",
        "db.auth('app', '{either}')",
        "mongodump -u app -p {either}",
    ),
    "redis": (
        "redis-cli -a {either} ping",
        "AUTH default {either}",
        "masterauth {either}",
        "ACL SETUSER app on >{either} ~* +@all",
        "user worker on >{either} allkeys",
    ),
    "cassandra": (
        "cqlsh -u cassandra -p {either} node1",
        "ALTER ROLE app WITH PASSWORD = '{either}';",
        "nodetool -u jmx -pw {either} status",
    ),
    "neo4j": (
        "cypher-shell -u neo4j -p {either} 'match (n) return n'",
        "NEO4J_AUTH=neo4j/{either}",
    ),
    "clickhouse": (
        "clickhouse-client --user app --password {either} -q 'select 1'",
        "<app><password>{either}</password></app>",
    ),
    "influx": (
        "influx setup --username a --password {either} --token {b64_88}",
        "Authorization: Token {b64_88}",
        'token = "{b64_88}"',
    ),
    "elastic": (
        "Changed password for user [elastic]\nPASSWORD elastic = {alnum20}",
        "The generated password for the elastic built-in user is:\n  {alnum20}",
        "xpack.security.http.ssl.keystore.secure_password: {either}",
        "curl -u elastic:{alnum20} localhost:9200",
    ),
    "couch": (
        "[admins]\nadmin = {either}",
        "couchbase-cli cluster-init --cluster-password {either}",
    ),
    "odbc": ("[shop]\nDriver=PostgreSQL\nUID=app\nPWD={either}", "DSN=shop;UID=app;PWD={either}"),
    "django": (
        "DATABASES = {'default': {'USER': 'app', 'PASSWORD': '{either}'}}",
        "SECRET_KEY = '{generated}{generated}'",
        "EMAIL_HOST_PASSWORD = '{either}'",
    ),
    "rails": (
        "production:\n  secret_key_base: {hex64}{hex64}",
        "RAILS_MASTER_KEY={hex32}",
        "  password: <%= ENV['X'] || '{either}' %>",
    ),
    "laravel": ("APP_KEY=base64:{b64_44}", "'salt' => '{alnum32}',", "DB_PASSWORD={either}"),
    "wordpress": (
        "define('DB_PASSWORD', '{either}');",
        "define( 'NONCE_SALT', '{generated}{generated}' );",
        "wp user create bob b@x.co --user_pass={either}",
    ),
    "spring": (
        "spring.security.user.password={either}",
        "jasypt.encryptor.password={either}",
        "Using generated security password: {uuid}",
    ),
    "tomcat": (
        '<user username="tomcat" password="{either}" roles="manager-gui"/>',
        '<Connector keystorePass="{either}" port="8443"/>',
        '<Resource name="jdbc/x" username="a" password="{either}"/>',
    ),
    "wildfly": (
        "add-user.sh -u admin -p {either} -g x",
        '<credential-reference clear-text="{either}"/>',
    ),
    "kafka": (
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="a" password="{either}";',
        "ssl.keystore.password={either}",
        "ssl.key.password={either}",
    ),
    "rabbitmq": (
        "rabbitmqctl add_user app {either}",
        "rabbitmqctl change_password app {either}",
        "rabbitmqadmin -u app -p {either} list queues",
        "amqp://app:{chosen}@mq:5672/v",
    ),
    "erlang": (
        "erl -name a@h -setcookie {alnum20}",
        "{erlang_cookie, '{alnum20}'}",
        "RABBITMQ_ERLANG_COOKIE={alnum20}",
    ),
    "zookeeper": ("addauth digest app:{either}",),
    # --- mail and chat
    "msmtp": ("account work\nhost smtp.example.com\nuser bob\npassword {either}",),
    "fetchmail": (
        'poll mail.example.com proto imap user "bob" pass "{either}"',
        "user 'bob' there with password '{either}' is bob here",
    ),
    "postfix": (
        "[smtp.example.com]:587 bob@example.com:{either}",
        "smtp_sasl_password_maps = static:bob:{either}",
    ),
    "dovecot": (
        "bob:{PLAIN}{either}:1000:1000::/home/bob",
        "doveadm auth test bob {either}",
        "connect = host=db dbname=mail user=mail password={either}",
    ),
    "mutt": ('set imap_pass = "{either}"', "set smtp_url='smtp://bob:{chosen}@smtp.example.com/'"),
    "swaks": (
        "swaks --to a@b.co --auth-user bob --auth-password {either}",
        "sendemail -xu bob -xp {either} -s smtp.example.com",
    ),
    "smtp session": (
        "AUTH PLAIN {b64_44}",
        "C: AUTH LOGIN\nS: 334 UGFzc3dvcmQ6\nC: {b64_24}",
        "a1 LOGIN bob {either}",
    ),
    "mail": (
        "Hi Ann, the login for the portal is ann@x.co / {either}",
        "Your temporary password is: {either}",
        "user: ann, pw: {either}",
        "Benutzer: ann Kennwort: {either}",
        "Your new PIN and password: {either}",
    ),
    "chat": (
        "admin creds are admin / {either}",
        "the wifi pw is {either}",
        "root password = {either} pls change",
        "pass for the box: {either}",
        "log in as qa with {generated}",
    ),
    "irc": (
        "/msg NickServ IDENTIFY {either}",
        "PRIVMSG NickServ :IDENTIFY bot {either}",
        "/oper root {either}",
        'sasl_password = "{either}"',
    ),
    "matrix": (
        'registration_shared_secret: "{url43}"',
        "macaroon_secret_key: {alnum40}",
        "as_token: {hex64}",
        'turn_shared_secret: "{alnum32}"',
    ),
    "teams": (
        "https://corp.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{hex32}/{uuid}",
    ),
    "mattermost": ("https://chat.example.com/hooks/{lower24}", "mattermost token: {lower24}"),
    "rocket": ('"X-Auth-Token": "{url43}"', "ROCKETCHAT_PASSWORD={either}"),
    "pushover": (
        "curl -F token={alnum32} -F user=u12 https://api.pushover.example/1",
        '"user_key": "{alnum32}"',
    ),
    "twilio": (
        "client = Client(account_sid, '{hex32}')",
        "authToken: '{hex32}'",
        "TWILIO_AUTH={hex32}",
    ),
    "asterisk": (
        "[6001]\ntype=auth\nusername=6001\npassword={either}",
        "secret={either}\nhost=dynamic",
        "register => 5551:{either}@sip.example.com",
    ),
    "coturn": (
        "static-auth-secret={hex64}",
        "user=turn:{either}",
        "lt-cred-mech user=guest:{either}",
    ),
    # --- clouds, CI and tools
    "az": (
        '{\n  "appId": "a",\n  "password": "{url43}",\n  "tenant": "t"\n}',
        "az login --service-principal -u http://x -p {url43} --tenant t",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={b64_88};EndpointSuffix=core",
    ),
    "aws table": (
        "|  SecretAccessKey |  {alnum40}  |",
        "SECRET_ACCESS_KEY {alnum40}",
        "aws_session_token={b64_88}{b64_88}",
        "ACCESSKEY\tAKIAX\t2024-01-01\t{alnum40}\tActive\tbob",
    ),
    "minio": (
        "mc alias set s3 https://s3.example.com admin {either}",
        "mc admin user add s3 bob {either}",
        "RootPass: {either}",
    ),
    "s3cmd": (
        "s3cmd --access_key=A --secret_key={alnum40} ls",
        "passwd-s3fs: BUCKETKEY1:{alnum40}",
    ),
    "terraform": (
        '  admin_password      = "{either}"',
        'variable "db_pass" {\n  default = "{either}"\n}',
        '      ~ master_password = "{chosen}" -> "{chosen}"',
        'output "token" = "{alnum40}"',
        "TF_VAR_root_pw={either}",
        'terraform apply -var="db_password={either}"',
    ),
    "ansible": (
        "db1 ansible_host=10.0.0.4 ansible_become_pass={either}",
        "ansible-playbook x.yml -e 'ansible_ssh_pass={either}'",
        '    login_password: "{either}"',
        "ansible all -m ping -e ansible_sudo_pass={either}",
    ),
    "puppet": (
        "  password_hash => postgresql_password('app', '{either}'),",
        "mysql::db { 'x': user => 'a', password => '{either}' }",
        "class { 'rabbitmq': default_pass => '{either}' }",
    ),
    "chef": (
        "node.default['mysql']['server_root_password'] = '{either}'",
        "knife bootstrap 10.0.0.2 -U root -P {either}",
    ),
    "vagrant": ('config.ssh.password = "{either}"', 'v.vmx["remote.vnc.key"] = "{either}"'),
    "cloud-init": (
        "#cloud-config\npassword: {either}\nchpasswd: { expire: False }",
        "chpasswd:\n  list: |\n    root:{either}\n    bob:{either}",
        "plain_text_passwd: '{either}'",
    ),
    "kickstart": (
        "rootpw --plaintext {either}",
        "user --name=bob --password={either}",
        "d-i passwd/root-password password {either}",
        "d-i passwd/user-password-again password {either}",
    ),
    "unattend": (
        "<AdministratorPassword><Value>{either}</Value><PlainText>true</PlainText></AdministratorPassword>",
    ),
    "kubeadm": (
        "kubeadm join 10.0.0.1:6443 --token abcdef.{hex16} --skip-verification",
        "certificate-key: {hex64}",
        "kubeadm init --certificate-key {hex64}",
    ),
    "k3s": (
        "K3S_TOKEN=K10{hex64}::server:{hex32}",
        "k3s agent --server https://a:6443 --token {alnum40}",
    ),
    "kubectl": (
        "kubectl create secret generic db --from-literal=password={either}",
        "kubectl create secret docker-registry r --docker-username=a --docker-password={either}",
        "kubectl config set-credentials bob --token={url43}",
        "    client-key-data: {b64_88}{b64_88}",
    ),
    "etcd": ("etcdctl --user root:{either} get a", "etcdctl user add bob:{either}"),
    "argocd": (
        "argocd login cd.example.com --username admin --password {either}",
        "admin.password: {either}",
    ),
    "consul": (
        'acl = { tokens = { agent = "{uuid}" } }',
        "CONSUL_HTTP_TOKEN={uuid}",
        'encrypt = "{b64_44}"',
        "SecretID:         {uuid}",
        "consul keygen\n{b64_44}",
    ),
    "vault": (
        "Unseal Key 1: {b64_44}",
        "Initial Root Token: s.{alnum32}",
        "vault login -method=userpass username=bob password={either}",
        "secret_id: {uuid}",
        "vault kv put secret/app pin={either} password={either}",
    ),
    "nomad": ("Secret ID    = {uuid}", "NOMAD_TOKEN={uuid}"),
    "jenkins": (
        "Please use the following password to proceed to installation:\n\n{hex32}\n\nIt may be",
        "withCredentials: user=deploy password={either}",
        "curl -u bob:{hex32} https://ci/job/x/build",
        "java -jar agent.jar -url http://ci -secret {hex64} -name a",
    ),
    "gitlab runner": (
        "gitlab-runner register --registration-token {alnum20} -n",
        'token = "{alnum20}"',
        "Password: {b64_44}\nNOTE: initial root password",
    ),
    "github runner": ("./config.sh --url https://git.example.com/a --token {base32}",),
    "circleci": ("curl -H 'Circle-Token: {hex40}' https://ci.example.com/api/v2/me",),
    "travis": ("travis encrypt DEPLOY_KEY={alnum32}", 'secure: "{b64_88}{b64_88}"'),
    "sonar": (
        "sonar-scanner -Dsonar.login={hex40}",
        "mvn sonar:sonar -Dsonar.token={hex40}",
        "sonar.password={either}",
    ),
    "codecov": ("codecov -t {uuid}", "CODECOV_TOKEN: {uuid}", "bash uploader.sh -t {uuid} -F unit"),
    "coveralls": ("repo_token: {alnum32}",),
    "sentry": ("dsn: https://{hex32}:{hex32}@sentry.example.com/2", "SENTRY_AUTH={hex64}"),
    "newrelic": ("license_key: '{hex40}'", "NEW_RELIC_LICENSE_KEY={hex40}"),
    "datadog": (
        "DD_API_KEY={hex32} DD_SITE=x bash -c install",
        "dd-api-key: {hex32}",
        "app_key: {hex40}",
    ),
    "grafana": (
        "grafana-cli admin reset-admin-password {either}",
        "GF_SECURITY_ADMIN_PASSWORD: {either}",
        "admin_password = {either}",
        "basicAuthPassword: {either}",
    ),
    "prometheus": ("basic_auth:\n  username: prom\n  password: {either}", "bearer_token: {url43}"),
    "zabbix": ("DBPassword={either}", "TLSPSK: {hex64}", "zabbix_get --psk {hex64}"),
    "nagios": (
        "check_mysql -H db -u mon -p {either}",
        "check_http -a mon:{either} -H web",
        "$USER7$={either}",
    ),
    "maven": (
        "<server><id>nexus</id><username>ci</username><password>{either}</password></server>",
        "mvn --encrypt-master-password {either}",
    ),
    "npm": ("_auth={b64_24}", "_password={b64_24}", "//npm.example.com/:_authToken={uuid}"),
    "pip": (
        "pip install --index-url https://ci:{alnum20}@pypi.example.com/simple x",
        "[pypi]\nusername = __token__\npassword = {url43}",
        "twine upload -u ci -p {either} dist/*",
    ),
    "nuget": (
        '<add key="ClearTextPassword" value="{either}" />',
        "nuget push a.nupkg {lower24}{lower24} -Source x",
        "dotnet nuget add source u -n x -u ci -p {either}",
    ),
    "cargo": ('[registries.corp]\ntoken = "{alnum32}"', "cargo login {alnum32}"),
    "gem": (":rubygems_api_key: {hex40}", "BUNDLE_GEMS__EXAMPLE__COM=ci:{either}"),
    "composer": ('"http-basic": {"repo.example.com": {"username": "ci", "password": "{either}"}}',),
    "conan": ("conan user -p {either} -r corp ci", "conan remote login corp ci -p {either}"),
    "artifactory": (
        "jf rt config --user=ci --password={either}",
        "curl -H 'X-JFrog-Art-Api: {alnum64}' https://a",
    ),
    "svn": (
        "svn co --username ci --password {either} https://svn.example.com/a",
        "svn.simple\nK 8\npassword\nV 12\n{either}",
    ),
    "hg": ("[auth]\nx.prefix = hg.example.com\nx.username = ci\nx.password = {either}",),
    "cvs": ("cvs -d :pserver:anon:{chosen}@cvs.example.com:/src login",),
    "perforce": ("P4PASSWD={HEX32}", "p4 -u ci -P {HEX32} sync", "echo {either} | p4 login"),
    "git credential": (
        "protocol=https\nhost=git.example.com\nusername=ci\npassword={either}",
        "git config http.extraheader 'AUTHORIZATION: basic {b64_44}'",
    ),
    # --- payment, maps, other services
    "payment": (
        "merchantKey: '{alnum32}'",
        "PAYU_SALT={alnum32}",
        "'saltKey' => '{uuid}',",
        "hmac_key={HEX32}{HEX32}",
        "transaction key: {alnum16}",
        "x_tran_key={alnum16}",
        "storepasswd={either}",
        "MERCHANT_PASS_PHRASE={either}",
        'checksum_key = "{alnum16}"',
    ),
    "paypal": ("PWD=X4{alnum16}&SIGNATURE=A{alnum40}&VERSION=98", "EB_SECRET={alnum64}"),
    "adyen": ("ws_password: {generated}", "HMAC key {HEX32}{HEX32}"),
    "braintree": ("privateKey: '{hex32}'", "BRAINTREE_PRIVATE={hex32}"),
    "weather": (
        "https://api.weather.example/data?q=Berlin&appid={hex32}",
        "https://api.maps.example/js?key={url43}",
        "https://svc.example/v1?api-key={hex32}&x=1",
        "https://a.example/x?subscription-key={hex32}",
    ),
    "azure function": (
        "https://fn.azurewebsites.example/api/x?code={url43}==",
        "Ocp-Apim-Subscription-Key: {hex32}",
        "x-functions-key: {url43}",
    ),
    "presigned": (
        "https://b.s3.example/k?X-Amz-Expires=60&X-Amz-Signature={hex64}",
        "https://st.example/c/b?sp=r&sig={url43}%3D&se=2025",
    ),
    "oauth": (
        "grant_type=password&username=bob&password={either}",
        "refresh_token={url43}",
        '{"access_token":"{url43}","token_type":"bearer"}',
        "client_secret={url43}&code=x",
        "?code={url43}&state=ok",
        "id_token_hint={url43}",
    ),
    "headers": (
        "X-Api-Token: {hex40}",
        "PRIVATE-TOKEN: {alnum20}",
        "x-auth-key: {hex40}",
        "X-Vault-Token: s.{alnum20}",
        "Api-Key: {url43}",
        "apikey: {alnum32}",
        "Authorization: ApiKey {b64_44}",
        "Authorization: {hex40}",
        "X-Shopify-Access-Token: {hex32}",
    ),
    "cookies": (
        "Cookie: JSESSIONID={HEX32}; a=b",
        "Set-Cookie: PHPSESSID={lower24}; path=/",
        "document.cookie = 'sid={url43}'",
        "laravel_session={b64_88}",
        "connect.sid=s%3A{alnum32}.{url43}",
    ),
    "totp": (
        "otpauth://totp/Ex:bob?secret={base32}&issuer=Ex",
        "oathtool --totp -b {base32}",
        "google-authenticator secret key is: {base32}",
        "mfa_seed={base32}",
    ),
    "recovery": (
        "recovery key: {words}",
        "BitLocker Recovery Key: 411521-220913-330215-440121-550733-660319-110231-220847",
        "Seed phrase: {spaced}",
        'mnemonic = "{spaced} {spaced}"',
        "Backup code {lower24}",
    ),
    "ethereum": (
        "PRIVATE_KEY=0x{hex64}",
        "cast send --private-key {hex64} x",
        "accounts: ['0x{hex64}']",
        '"d": "{url43}", "kty": "EC"',
        "walletPassphrase '{either}'",
    ),
    "jwk": (
        '{"kty":"oct","k":"{url43}","alg":"HS256"}',
        "jwt.sign(user, '{alnum32}')",
        "jwt.encode(payload, \"{either}\", algorithm='HS256')",
        "HS256 signing key: {b64_44}",
    ),
    "crypto code": (
        "cipher = AES.new(b'{alnum16}', AES.MODE_CBC)",
        "Fernet(b'{b64_44}')",
        "hmac.new(b'{alnum32}', msg, 'sha256')",
        "crypto.createHmac('sha256', '{hex64}')",
        "pepper: {alnum32}",
        "COOKIE_SALT={alnum32}",
    ),
    "code": (
        "conn = pymysql.connect('db', 'app', '{either}', 'shop')",
        "ssh.connect(h, username='a', password='{either}')",
        "smtp.login('bob@x.co', '{either}')",
        "session.auth = ('bob', '{either}')",
        "auth=HTTPBasicAuth('bob', '{either}')",
        'DriverManager.getConnection(url, "app", "{either}")',
        "new MongoClient(u, { auth: { user: 'a', pass: '{either}' } })",
        "const PW = '{either}'",
        "login(page, 'bob', '{either}')",
        "$mysqli = new mysqli('db', 'app', '{either}', 'shop');",
        'private static final String PWD = "{either}";',
        "ftp.login(user='a', passwd='{either}')",
        'assertEquals("{generated}", user.getPassword())',
        "cy.get('#password').type('{either}')",
        "driver.find_element(By.ID, 'pass').send_keys('{either}')",
    ),
    "sql rows": (
        "INSERT INTO users (name, password) VALUES ('bob', '{either}');",
        "UPDATE accounts SET passwd='{either}' WHERE id=1;",
        "SELECT * FROM u WHERE pass = '{either}'",
        " id | login | password\n----+-------+----------\n  1 | bob   | {either}",
    ),
    "logs": (
        "DEBUG auth: trying user=bob pass={either}",
        'level=debug msg="login" user=bob password={either}',
        "POST /login form: {'user': 'bob', 'password': '{either}'}",
        "Login attempt bob:{either} failed",
        "[info] connect string app/{chosen}@db",
        "DEBUG Authenticator(user='bob', secret='{either}')",
        "Config{host=db, user=app, password={either}, port=1}",
        "Credentials [username=bob, password={either}]",
        "Bad password '{either}' for bob",
        "token {alnum40} expired",
        "wrong key {alnum32} for tenant 4",
    ),
    "set -x": (
        "+ DB_PW={either}",
        "+ curl -s -u bob:{either} https://x",
        "++ echo {b64_24} ++ base64 -d",
        "+ export 'SMTP_PASS={either}'",
        'declare -x APP_SECRET="{generated}"',
    ),
    "windows reg": (
        '"DefaultPassword"="{either}"',
        "reg add HKLM\\x /v DefaultPassword /d {either}",
        "DefaultPassword    REG_SZ    {either}",
    ),
    "filezilla": ('<Pass encoding="base64">{b64_24}</Pass>', "<Pass>{either}</Pass>"),
    "netrc": (
        "machine ftp.example.com login bob password {either}",
        "machine h\n  login bob\n  password {either}",
    ),
    "pgpass": ("db:5432:*:app:{either}",),
    "toml": (
        '[smtp]\nhost = "x"\npasswd = "{either}"',
        'master-key = "{b64_44}"',
        'passcode="{chosen}"',
    ),
    "yaml": (
        "smtp: {host: x, user: a, pass: {either}}",
        "auth:\n  - user: bob\n    pw: {either}",
        "hashKey: {b64_44}",
        "credential: {either}",
        "webhook_secret: {hex40}",
        "adminPwd: {either}",
    ),
    "env": (
        "S3_SECRET={alnum40}",
        "STRAPI_SALT={b64_24}",
        "MAIL_PW={either}",
        "APP_KEYS={b64_24},{b64_24}",
        "AUTH0_CLIENT_SECRET={url43}{url43}",
        "HASURA_ADMIN_SECRET={either}",
        "ROOT_PWD={either}",
        "ENC_KEY={hex64}",
        "JWT_SIGNING={alnum40}",
        "DJANGO_SU_PW={either}",
    ),
    "properties": (
        "db.pwd={either}",
        "jdbc.pass = {either}",
        "keystore.pass : {either}",
        "mail.smtp.password={either}",
    ),
    "csv": (
        "name,username,password\nportal,bob,{either}",
        "title;login;Passwort\nbank;ann;{either}",
    ),
    "german": ("Das Passwort lautet {either}", "Kennwort={either}", "Zugang: bob / {either}"),
    "spanish": ("contraseña: {either}", "la clave es {either}", "clave={either}"),
    "french": ("mot de passe : {either}", "mdp={either}", "mot_de_passe = '{either}'"),
    "portuguese": ("senha: {either}", "SENHA_DB={either}"),
    "russian": ("пароль: {either}", "Пароль={either}"),
    "chinese": ("密码: {either}", "密码={either}"),
    "japanese": ("パスワード: {either}",),
    "polish": ("hasło: {either}", "haslo={either}"),
    "dutch": ("wachtwoord: {either}", "wachtwoord is {either}"),
}


def made(text: str, chance: random.Random) -> tuple[str, list[str]]:
    """The text with made-up values, and these."""
    values: list[str] = []
    for kind, make in KINDS.items():
        while (place := "{" + kind + "}") in text:
            value = make(chance)
            values.append(value)
            text = text.replace(place, value, 1)
    return text, values


def placed(seed: int = 23, *, each: int = 1) -> Iterator[Leak]:
    """Each text with made-up values, once for each of these."""
    chance = random.Random(seed)
    for _ in range(each):
        for source, texts in SOURCES.items():
            for shape in texts:
                text, values = made(shape, chance)
                yield from (Leak(source, text, value) for value in values)
