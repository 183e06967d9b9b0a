import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkEngines } from '../../src/voice/trials/try-engine.ts'
import { parseExposition } from '../setup/checks/exposition.ts'
import { call } from '../setup/http.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { tinyTokens, tinyVits, writeModel } from '../setup/speech/tiny-models.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 30_000
const VOICES = { voices: [{ slug: 'calm', name: 'Calm', kind: 'preset', engine_voice: '1' }] }
const SENTENCE = 'A quick brown fox jumps over a lazy dog while a sun goes down behind a hill. '

describe('jobs of a sherpa-onnx model', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime({ worker: true, env: { METRICS_PORT: '0' } })
    await writeModel(join(service.dataDir, 'models', 'tiny'), { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })
    await apply('spoken', 'tiny')
  })
  afterAll(() => service.close())

  const apply = (slug: string, directory: string) => {
    const engine = { kind: 'sherpa-onnx', family: 'vits', model_dir: directory, threads: 1, pool: slug }
    return applyEndpoint(service.runtime, slug, engine, VOICES)
  }
  /** The processes that hold models of this one. */
  const children = (): number[] =>
    readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return []
      try {
        const isOurs = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`)
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sherpa-child') ? [Number(pid)] : []
      } catch {
        return []
      }
    })

  test('complete, also when the process that speaks is killed again and again in the middle', async () => {
    const { key } = await service.createCaller()
    const ids = await Promise.all(
      Array.from({ length: 6 }, () => submitText(service.url, key, 'spoken', SENTENCE.repeat(6).slice(0, 500))),
    )
    let killed = 0
    const kill = () => {
      for (const pid of children().slice(0, 1)) {
        try {
          process.kill(pid, 'SIGKILL')
          killed++
        } catch {
          // It has ended since it was listed.
        }
      }
      return killed >= 2
    }
    await until(kill, TIMEOUT_MS, 'two processes to be killed')
    await allFinished(service.runtime, ids)
    const jobs = await Promise.all(ids.map((id) => readJob(service.url, key, id)))
    expect(jobs.map(({ status }) => status)).toEqual(ids.map(() => 'completed'))
  })

  test('are in the metrics of engines, under the kind of the engine', async () => {
    const family = parseExposition((await call(`${service.metricsUrl}/metrics`)).text).get(
      'sonant_engine_request_duration_seconds',
    )
    const counts = family?.samples.filter(({ name, labels }) => name.endsWith('_count') && labels.outcome === 'ok')
    expect(counts?.map(({ labels }) => labels)).toEqual([{ kind: 'sherpa-onnx', server: 'sherpa-onnx', outcome: 'ok' }])
    expect(counts?.[0]?.value).toBeGreaterThanOrEqual(6)
  })

  test('fail with the reason as their cause where the model cannot be loaded, and cost nothing', async () => {
    await apply('missing', 'nowhere')
    const { account, key } = await service.createCaller(1000n)
    const id = await submitText(service.url, key, 'missing', 'Hello.')
    await allFinished(service.runtime, [id])
    expect(await readJob(service.url, key, id)).toMatchObject({ status: 'failed', error_code: 'PROVIDER_UNAVAILABLE' })
    const { rows } = await service.runtime.db.pool.query('select cause from job where id = $1', [id])
    expect(rows[0]).toEqual({ cause: expect.stringMatching(/model_dir .*models\/nowhere cannot be read .*ENOENT/) })
    const { credits } = await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })
    expect(credits).toBe(1000n)
  })

  test('are checked by sonant engines check, which lists speakers and speaks', async () => {
    const { runtime } = service
    const checks = await checkEngines(runtime.as({ kind: 'system' }))
    const found = { kind: 'sherpa-onnx', server: null, offered: 3, missing: [], error: null }
    expect(checks.find(({ endpoint }) => endpoint === 'spoken')).toMatchObject(found)
  })
})
