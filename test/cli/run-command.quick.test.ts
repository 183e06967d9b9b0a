import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorker } from '../../src/worker/start-worker.ts'
import { packagesOf, runRecorded } from '../setup/processes/loaded-modules.ts'
import { cleanUp, makeTempDir, run } from '../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

/** Together they are what made every command take one to three seconds; a short one needs none of them. */
const HEAVY = ['pg-boss', 'undici', 'ajv', 'graphql', '@pothos', 'fastify', 'openapi-backend', 'espeak', 'cli-progress']
/** Ours and the libraries', of which zod has about a hundred and the API of OpenTelemetry 44. */
const MOST_MODULES = 480
/** Prisma's query compiler. */
const QUERY_COMPILER = '/query_compiler_'
/** Node's parser of TypeScript: loading it takes longer than everything else that `--version` needs. */
const TYPE_PARSER = 'NativeModule internal/deps/amaro/dist/index'
/** The command line, its library and the texts of all commands: no configuration, no database. */
const MOST_MODULES_FOR_WORDS = 80

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime()
  await service.createAccount()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  await service.close()
  await cleanUp()
})

describe('a command starts quickly', () => {
  test.concurrent.each([
    [['accounts', 'list']],
    [['keys', 'create', '--account', 'nobody', '--name', 'x']],
    [['users', 'list', '--account', 'nobody']],
    [['jobs', 'show', 'job_x']],
    [['webhooks', 'deliveries', '--account', 'nobody']],
  ])('%s loads neither the queue nor the doors nor the engines', async (args) => {
    const { modules, stdout } = await runRecorded([...args, '--json'], env)
    expect(stdout).toMatch(/^\{("items"|.*"error_code":"NOT_FOUND")/)
    expect(packagesOf(modules).filter((name) => HEAVY.some((heavy) => name.startsWith(heavy)))).toEqual([])
    expect(modules.length).toBeLessThan(MOST_MODULES)
  })

  // Prisma's first query takes a tenth of a second, a client of HTTP or a compiler of JSON Schema nearly as much.
  test.concurrent.each([
    [['doctor'], ['--json']],
    [['engines', 'check'], ['--json']],
    [['endpoints', 'list'], ['--json']],
    [['workflows', 'list'], ['--json']],
    [['workers', 'list'], ['--json']],
    [
      ['accounts', 'show'],
      ['--account', 'nobody'],
    ],
  ])('%s loads neither the compilers of queries and schemas nor a client of HTTP', async (words, more) => {
    const { modules, code } = await runRecorded([...words, ...more], env)
    expect(code).toBeLessThan(3)
    expect(packagesOf(modules).filter((name) => HEAVY.some((heavy) => name.startsWith(heavy)))).toEqual([])
    expect(modules.filter((url) => url.includes(QUERY_COMPILER))).toEqual([])
  })

  test('say loads no compiler of queries and no client of HTTP', async () => {
    const worker = await startWorker(service.runtime)
    const { modules, code } = await runRecorded(['say', 'Hello.', '-o', '/dev/null'], env).finally(() => worker.stop())
    expect(code).toBe(0)
    expect(packagesOf(modules)).not.toContain('undici')
    expect(modules.filter((url) => url.includes(QUERY_COMPILER))).toEqual([])
  })

  test('a start after the first one parses no TypeScript', async () => {
    const hook = `process.once('exit', () => process.stderr.write(String(process.moduleLoadList.includes('${TYPE_PARSER}'))))`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`
    const start = async () => (await run(['--version'], { NODE_OPTIONS, NODE_COMPILE_CACHE: cache })).stderr
    const cache = await makeTempDir()
    expect([await start(), await start()]).toEqual(['true', 'false'])
  })

  test.concurrent.each([[['--help']], [['--version']], [['completion', 'bash']], [['jobs', 'list', '--help']]])(
    '%s loads nothing but the command line itself',
    async (args) => {
      const { modules, code } = await runRecorded(args, {})
      expect(code).toBe(0)
      expect(modules.length).toBeLessThan(MOST_MODULES_FOR_WORDS)
    },
  )
})
