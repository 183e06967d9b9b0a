import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { call, freePorts } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { packagesOf, recordModules } from '../../setup/processes/loaded-modules.ts'
import { makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeDataDir, makeTempDir, processesOf } from '../../setup/processes/process.ts'
import { readWav } from '../../setup/speech/wav.ts'
import { until } from '../../setup/wait.ts'

const DEADLINE_MS = 180_000
/** Prisma's query compiler. */
const QUERY_COMPILER = '/query_compiler_'
const ENDED_MS = 20_000
/** The APIs need these, more than half of all modules: a worker's start would take twice as long with them. */
const DOORS = ['fastify', 'graphql', 'graphql-yoga', '@pothos/core', 'openapi-backend', 'graphql-ws']

describe('the command sonant', { timeout: DEADLINE_MS }, () => {
  afterAll(async () => {
    endCommands()
    await cleanUp()
  })

  test('is found by npx, which installs nothing for it', async () => {
    const [dataDir, cache] = [join(await makeTempDir(), 'data'), await makeTempDir()]
    const npx = startCommand(['npx', 'sonant', 'accounts', 'create', '--name', 'a', '--credits', '7', '--json'], {
      DATA_DIR: dataDir,
      npm_config_cache: cache,
    })
    expect(await npx.ended()).toBe(0)
    await until(() => npx.stdout().endsWith('\n'), ENDED_MS, 'the answer')
    expect(JSON.parse(npx.stdout())).toMatchObject({ name: 'a', credits: 7 })
    // It would read all of node_modules for that, twice: a second before each command.
    expect(await readdir(cache)).not.toContain('_npx')
    await until(() => processesOf(dataDir).length === 0, ENDED_MS, 'PostgreSQL to end')
  })

  test('runs as two roles on one directory: what one accepts the other renders without the doors, and the first serves it', async () => {
    const dataDir = await makeDataDir()
    const [port] = await freePorts(1)
    const env = { DATA_DIR: dataDir, PORT: String(port), SHUTDOWN_SECONDS: '5' }
    const url = `http://127.0.0.1:${port}`
    const ofApi = await recordModules()
    const api = startCommand(['node', 'bin/sonant.js', 'serve'], { ...env, ...ofApi.env })
    await api.said('Sonant listens on')
    // Before any job ends: another version may lie in the folder by then.
    const files = ['delivery/create-delivery.ts'].map((file) => `/src/webhooks/${file}`)
    files.push(QUERY_COMPILER)
    const areLoaded = async () => {
      const loaded = (await ofApi.modules()).join()
      return files.every((file) => loaded.includes(file))
    }
    await until(areLoaded, ENDED_MS, 'the API to load what it needs once it is called, or a job ends')
    await makeAccount(env, 'a', 1000)
    const { apiKey: key } = await makeKey(env, 'a')
    const body = { inputs: { text: 'Two roles.', voice: 'aria' } }
    const made = await call(`${url}/api/v1/voice/tts`, { method: 'POST', key, body })
    const jobId = made.json<{ job_id: string }>().job_id
    const recorded = await recordModules()
    const worker = startCommand(['node', 'bin/sonant.js', 'work'], { ...env, ...recorded.env })
    await worker.said('Sonant works')
    const job = await finishedJob(url, key, jobId)
    expect(job.status).toBe('completed')
    expect(readWav((await call(job.outputs!.audio)).bytes)).toMatchObject({ whole: true, channels: 1 })
    const packages = packagesOf(await recorded.modules())
    expect([packages.includes('pg-boss'), DOORS.filter((name) => packages.includes(name))]).toEqual([true, []])
    worker.kill('SIGTERM')
    expect(await worker.ended()).toBe(0)
    expect((await call(`${url}/health/ready`)).status).toBe(200)
    api.kill('SIGTERM')
    expect(await api.ended()).toBe(0)
    await until(() => processesOf(dataDir).length === 0, ENDED_MS, 'PostgreSQL to end')
  })
})
