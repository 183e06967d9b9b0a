import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseEndpointFile } from '../src/catalog/files/endpoint-file.ts'
import { buildProgram } from '../src/cli/run-program.ts'
import { readSettings } from '../src/context/config.ts'
import { launchOf, readServerFile } from '../src/worker/server/server-file.ts'

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../examples/${name}`, import.meta.url)), 'utf8')
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COMMANDS = buildProgram().commands

interface Service {
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly image?: string
  readonly env_file?: unknown
  readonly stop_grace_period?: string
  readonly healthcheck?: { readonly test: string[] }
}

/** The subcommand and its options are ones that the command line knows. */
function isCommand([name, ...args]: readonly string[]): boolean {
  const command = COMMANDS.find((candidate) => candidate.name() === name)
  const options = args.filter((arg) => arg.startsWith('--'))
  return command !== undefined && options.every((option) => command.options.some(({ long }) => long === option))
}

/** The documented settings, each also as NAME_FILE, and what an S3 client reads by itself. */
function isSetting(name: string): boolean {
  return new RegExp(`\\b${name.replace(/_FILE$/, '')}\\b`).test(read('../docs/configuration.md'))
}

const listsEndpoints = (name: string): boolean => Array.isArray(parseAllDocuments(read(name))[0]?.toJS()?.endpoints)

/** As compose does it: `${NAME:-default}`, `${NAME:?what to do}`, and `$$` for a dollar sign. */
const interpolate = (source: string, env: Readonly<Record<string, string>>): string =>
  source.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, how: string, otherwise: string) => {
    if (how === '?' && !env[name]) throw new Error(`${name}: ${otherwise}`)
    return env[name] || otherwise
  })

/** No example can know these. */
const SECRETS = {
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  SECRET_KEY: 'made for this test, of 32 letters',
}
const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    read('env.example')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ),
  ...SECRETS,
}

describe('examples', () => {
  test.each(['sonant-api.service', 'sonant-worker@.service', 'sonant-gpu-worker.service', 'sonant-migrate.service'])(
    '%s starts a command that there is',
    async (name) => {
      const [, line = ''] = /^ExecStart=(.+)$/m.exec(read(name)) ?? []
      const [program = '', main = '', ...args] = line.replaceAll('/opt/sonant/', ROOT).replace('%i', 'gpu').split(' ')
      expect(isCommand(args)).toBe(true)
      // With nothing of this environment, and whatever Node the machine has.
      const { stdout } = await promisify(execFile)(program, [main, ...args, '--help'], { env: {} })
      expect(stdout).toContain(`sonant ${args[0]}`)
      // The process that stops it waits longer than the service itself does for its jobs.
      const { shutdownSeconds, drainSeconds } = readSettings({})
      const [, why = '', limit] = /^(?:# (Longer .*)\n)?TimeoutStopSec=(\d+)$/m.exec(read(name)) ?? []
      expect(Number(limit)).toBeGreaterThan(shutdownSeconds + drainSeconds)
      if (args[0] !== 'migrate') expect(why).toContain('Longer than DRAIN_SECONDS and SHUTDOWN_SECONDS together')
    },
  )

  test.each([
    [200, 0],
    [503, 1],
  ])('the health check of the image takes %i from /health/ready as %i', async (status, code) => {
    const [, text = ''] =
      /HEALTHCHECK [^[]+(\[.+\])$/ms.exec(read('Dockerfile').split('# The process')[0]!.trim()) ?? []
    const server = createServer((request, reply) =>
      reply.writeHead(request.url === '/health/ready' ? status : 404).end(),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const [program = '', ...args] = (JSON.parse(text) as string[]).map((part) => part.replace(':9464', `:${port}`))
    expect(await once(spawn(program, args, { stdio: 'ignore' }), 'exit')).toEqual([code, null])
    server.close()
  })

  test.each(['vllm-omni.server.yaml', 'kokoro.server.yaml'])(
    '%s names a server with a port and a card',
    async (name) => {
      const bin = await mkdtemp(join(tmpdir(), 'sonant-programs-'))
      for (const program of ['vllm', 'uv']) await writeFile(join(bin, program), '', { mode: 0o755 })
      const spec = readServerFile(fileURLToPath(new URL(`../examples/${name}`, import.meta.url)), { PATH: bin })
      expect(launchOf(spec, 4711, {}).command.slice(-2)).toEqual(['--port', '4711'])
      expect(spec).toMatchObject({ gpus: [0], readyPath: '/health' })
      await rm(bin, { recursive: true })
    },
  )

  test.each(globSync('*.yaml', { cwd: fileURLToPath(new URL('../examples', import.meta.url)) }).filter(listsEndpoints))(
    '%s is a valid file of endpoints, applied by the command in its first lines',
    (name) => {
      const { endpoints } = parseEndpointFile(read(name))
      expect(endpoints.map(({ slug }) => typeof slug)).toEqual(endpoints.map(() => 'string'))
      expect(read(name)).toContain(`npx sonant endpoints apply examples/${name}`)
    },
  )

  test('the environment file is a valid one, and each of its lines names a setting', () => {
    expect(readSettings(ENVIRONMENT)).toMatchObject({ host: '127.0.0.1', s3: { url: 'https://s3.internal/sonant' } })
    expect(Object.keys(ENVIRONMENT).filter((name) => !isSetting(name))).toEqual([])
  })

  test.each([
    [
      'with secrets alone',
      SECRETS,
      { databaseUrl: 'postgresql://sonant:sonant@database/sonant', publicUrl: 'http://127.0.0.1:4000' },
    ],
    ['with the environment file as its .env', ENVIRONMENT, readSettings(ENVIRONMENT)],
  ])('the compose file gives both roles commands and settings that are valid, %s', (_how, env, settings) => {
    const { services } = parse(interpolate(read('compose.yaml'), env), { merge: true }) as {
      services: Record<string, Service>
    }
    const ours = Object.values(services).filter(({ image }) => image === 'sonant')
    expect(ours.map(({ command }) => command)).toEqual([['serve'], ['work'], ['migrate']])
    for (const { command, environment = {}, env_file, stop_grace_period: patience = '' } of ours) {
      expect(isCommand(command ?? [])).toBe(true)
      expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([])
      // Before what `environment` says, as compose has it.
      const { databaseUrl, publicUrl, secretKey, s3, host, ...others } = readSettings({ ...env, ...environment })
      // As the objects for Kubernetes have it.
      expect(others.drainSeconds).toBe(10)
      expect(Number.parseInt(patience, 10)).toBeGreaterThan(others.drainSeconds + others.shutdownSeconds)
      // Docker reaches a container's port at no loopback address.
      expect(host).toBe('0.0.0.0')
      expect({ databaseUrl, publicUrl }).toEqual({ databaseUrl: settings.databaseUrl, publicUrl: settings.publicUrl })
      expect(secretKey).toBeDefined()
      expect(s3).not.toBeNull()
      expect(env_file).toEqual([{ path: '.env', required: false }])
    }
  })

  test('what a pooler has to hold for each process is what PostgreSQL has to allow', () => {
    const [, allowed] = /processes × \(`DATABASE_POOL_SIZE` \+ (\d)\)/.exec(read('../docs/operating.md')) ?? []
    expect(read('../docs/several-machines.md')).toContain(`each \`DATABASE_POOL_SIZE\` + ${allowed}.`)
  })

  test('the compose file starts nothing with a secret that an example could know', () => {
    for (const name of ['SECRET_KEY', 'AWS_SECRET_ACCESS_KEY'])
      expect(() => interpolate(read('compose.yaml'), { ...SECRETS, [name]: '' })).toThrow(
        `${name}: make one with openssl`,
      )
  })

  test('the objects for Kubernetes start commands that there are, with settings that are valid', () => {
    const objects = parseAllDocuments(read('kubernetes/sonant.yaml')).map((one) => one.toJSON())
    const pods = objects.flatMap(({ kind, spec }) => (kind === 'Deployment' || kind === 'Job' ? [spec.template] : []))
    expect(pods.map(({ spec }) => spec.containers[0].args[0])).toEqual(['migrate', 'serve', 'work', 'work'])
    for (const { spec } of pods) expect(isCommand(spec.containers[0].args)).toBe(true)
    const [{ data }] = objects
    expect(Object.keys(data).filter((name) => !isSetting(name))).toEqual([])
    expect(readSettings({ ...data, ...SECRETS }).migrate).toBe(false)
    for (const { spec } of objects.filter((one) => one.kind === 'Deployment')) {
      const { spec: pod, metadata } = spec.template
      expect(metadata.labels).toEqual(spec.selector.matchLabels)
      const [{ ports, readinessProbe, livenessProbe }] = pod.containers
      for (const { httpGet } of [readinessProbe, livenessProbe])
        expect(ports).toContainEqual({ name: httpGet.port, containerPort: 9464 })
    }
    const selected = objects.flatMap(
      ({ spec }) => spec?.podSelector?.matchLabels ?? spec?.selector?.matchLabels ?? spec?.selector ?? [],
    )
    const labels = pods.map(({ metadata }) => metadata.labels)
    const fits = (one: Record<string, string>) =>
      labels.some((label) => Object.entries(one).every(([name, value]) => label[name] === value))
    expect(selected.length).toBeGreaterThan(7)
    expect(selected.filter((one) => !fits(one))).toEqual([])
  })

  test('the image starts the program that the sonant command is', () => {
    const [, entry = ''] = /^ENTRYPOINT (.+)$/m.exec(read('Dockerfile')) ?? []
    const [, command = ''] = /^CMD (.+)$/m.exec(read('Dockerfile')) ?? []
    const { scripts } = JSON.parse(read('../package.json')) as { scripts: { sonant: string } }
    expect(scripts.sonant).toMatch(/^exec node \S+$/)
    expect(JSON.parse(entry)).toEqual(['node', `/opt/sonant/${scripts.sonant.split(' ').at(-1)}`])
    expect(isCommand(JSON.parse(command))).toBe(true)
  })

  test('nothing to copy or to read names src/main.ts, on which an old Node.js fails without a sentence', () => {
    const files = ['examples/*', 'examples/*/*', '*.md', '.github/*.md', 'package.json'].flatMap((pattern) =>
      globSync(pattern, { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile()),
    )
    const named = files.filter(({ parentPath, name }) =>
      readFileSync(join(parentPath, name), 'utf8').includes('src/main.ts'),
    )
    expect(files.length).toBeGreaterThan(10)
    expect(named.map(({ name }) => name)).toEqual([])
  })
})
