import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { parseCidr } from '../../../src/egress/ip-ranges.ts'
import { MAX_BODY_BYTES, MAX_LIST_BYTES } from '../../../src/http/json-body.ts'
import { MAX_FORM_BYTES } from '../../../src/http/multipart-body.ts'
import { haproxyProgram } from '../../setup/servers/haproxy.ts'

const run = promisify(execFile)
const pathOf = (name: string) => fileURLToPath(new URL(`../../../examples/proxy/${name}`, import.meta.url))
const CADDY = pathOf('Caddyfile')
const NGINX = pathOf('nginx.conf')
const HAPROXY = fileURLToPath(new URL('../../../examples/cells/haproxy.cfg', import.meta.url))
const PROXIES = [
  ['Caddyfile', CADDY],
  ['nginx.conf', NGINX],
] as const

const isInstalled = (program: string): boolean => {
  const { error } = spawnSync(program, ['-h'])
  if (error !== undefined) process.stderr.write(`${program} is not installed: its example is not validated here\n`)
  return error === undefined
}

describe('the proxies of examples', () => {
  let dir = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sonant-proxy-'))
  })
  afterAll(() => rm(dir, { recursive: true }))

  test.skipIf(!isInstalled('caddy'))('the Caddyfile is valid and formatted to caddy', async () => {
    const env = { PATH: process.env.PATH, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir }
    await run('caddy', ['validate', '--config', CADDY, '--adapter', 'caddyfile'], { env })
    expect((await run('caddy', ['fmt', CADDY], { env })).stdout).toBe(await readFile(CADDY, 'utf8'))
  })

  test.skipIf(!isInstalled('nginx'))('nginx.conf is valid to nginx', async () => {
    const [certificate, key] = [join(dir, 'certificate.pem'), join(dir, 'key.pem')]
    const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=voice.example.org'
    await run('openssl', ['req', ...made.split(' '), '-keyout', key, '-out', certificate])
    // The files and ports of a machine that is really used belong to others.
    const site = (await readFile(NGINX, 'utf8'))
      .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, certificate)
      .replace(/\/etc\/letsencrypt\S+privkey\.pem/, key)
      .replaceAll('/var/log/nginx', dir)
      .replaceAll(/listen \[::\]:\d+[^;]*;/g, '')
      .replaceAll(/listen (\d+)/g, (_line, port: string) => `listen 127.0.0.1:${20_000 + Number(port)}`)
    await writeFile(join(dir, 'site.conf'), site)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (use) => `${use}_temp_path ${dir}/${use};`,
    )
    const http = `http { access_log off; ${temporary.join(' ')} include ${dir}/site.conf; }`
    await writeFile(join(dir, 'nginx.conf'), `pid ${dir}/pid; error_log ${dir}/errors; events {} ${http}`)
    const { stderr } = await run('nginx', ['-t', '-p', dir, '-e', join(dir, 'errors'), '-c', join(dir, 'nginx.conf')])
    expect(stderr).toContain('test is successful')
  })

  test.skipIf(haproxyProgram === undefined)("cells' haproxy.cfg is valid to haproxy", async () => {
    const certificates = join(dir, 'certificates')
    await mkdir(certificates)
    const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=voice.example.org'
    const { stdout } = await run('openssl', ['req', ...made.split(' '), '-keyout', '-'])
    await writeFile(join(certificates, 'voice.pem'), stdout)
    const config = (await readFile(HAPROXY, 'utf8'))
      .replaceAll('/etc/haproxy/cells.map', HAPROXY.replace('haproxy.cfg', 'cells.map'))
      .replace('/etc/haproxy/certificates/', `${certificates}/`)
    await writeFile(join(dir, 'haproxy.cfg'), config)
    expect((await run(haproxyProgram!, ['-c', '-f', join(dir, 'haproxy.cfg')])).stdout).toContain('file is valid')
  })

  test("cells' haproxy.cfg names settings that are valid, and waits longer than any answer takes", async () => {
    const text = await readFile(HAPROXY, 'utf8')
    const settings = [...text.matchAll(/^# {3}([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name, value])
    expect(readSettings(Object.fromEntries(settings))).toMatchObject({
      cell: 'a',
      publicUrl: 'https://a.voice.example.org',
      trustedProxies: [parseCidr('192.0.2.1/32')],
    })
    const { timeoutSeconds } = readSettings({}).companion
    expect(Number(/timeout server (\d+)s/.exec(text)?.[1])).toBeGreaterThan(2 * timeoutSeconds)
  })

  test.each(PROXIES)('%s leads to where Sonant listens, and names the settings that it needs', async (_name, path) => {
    const text = await readFile(path, 'utf8')
    const { host, port } = readSettings({})
    expect(text).toContain(`${host}:${port}`)
    const settings = Object.fromEntries(
      [...text.matchAll(/^# {3}([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
    )
    expect(Object.keys(settings)).toEqual(['PUBLIC_URL', 'TRUSTED_PROXIES'])
    expect(readSettings(settings)).toMatchObject({
      publicUrl: 'https://voice.example.org',
      trustedProxies: ['127.0.0.1/32', '::1/128'].map(parseCidr),
    })
    expect(text).toMatch(/^\s*(server_name )?voice\.example\.org( \{|;)$/m)
  })

  test.each(PROXIES)('%s buffers no stream and waits longer than any answer takes', async (_name, path) => {
    const text = await readFile(path, 'utf8')
    expect(text).toMatch(/^\s*(flush_interval -1|proxy_buffering off;)$/m)
    const [, waits] = /(?:response_header_timeout|proxy_read_timeout) (\d+)s/.exec(text) ?? []
    const { timeoutSeconds } = readSettings({}).companion
    expect(Number(waits)).toBeGreaterThan(2 * timeoutSeconds)
  })

  test('nginx.conf passes WebSockets of /graphql on, the caller of every request, and every body that Sonant reads', async () => {
    const text = await readFile(NGINX, 'utf8')
    const headers = Object.fromEntries(
      [...text.matchAll(/proxy_set_header (\S+) (\S+);/g)].map(([, name, value]) => [name, value]),
    )
    expect(headers).toEqual({
      Host: '$http_host',
      Upgrade: '$sonant_upgrade',
      Connection: '$sonant_connection',
      'X-Forwarded-For': '$remote_addr',
      'X-Forwarded-Proto': '$scheme',
      'X-Forwarded-Host': '$http_host',
    })
    expect(text).toContain("'~*^/graphql websocket$' websocket;")
    const [, megabytes] = /client_max_body_size (\d+)m;/.exec(text) ?? []
    expect(Number(megabytes) * 1024 ** 2).toBeGreaterThan(Math.max(MAX_BODY_BYTES, MAX_LIST_BYTES, MAX_FORM_BYTES))
    // The log holds only the part before the query, because the query of a signed URL opens it to every reader of the log.
    expect(/^log_format sonant .*$/m.exec(text)?.[0]).not.toMatch(
      /\$(request|request_uri|args|query_string|http_referer)\b/,
    )
  })
})
