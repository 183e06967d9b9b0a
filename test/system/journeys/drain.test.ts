import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { cleanUp, startService } from '../../setup/process.ts'
import { until } from '../../setup/wait.ts'

type Line = Readonly<Record<string, unknown>>

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('a process that is told to end', () => {
  afterAll(cleanUp)

  test('serves on while it is not ready, then ends; and its log names it and tells the end of every job', async () => {
    const service = await startService({ env: { DRAIN_SECONDS: '3', LOG_REQUESTS: '1' } })
    const { url, key } = service
    const lines = (): Line[] =>
      service
        .stderr()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line))
    const submit = (text: string) =>
      call(`${url}/api/v1/voice/tts`, { method: 'POST', key, body: { inputs: { text, voice: 'aria' } } })
    const { job_id: jobId } = (await submit('Once.')).json<{ job_id: string }>()
    const ended = () => lines().find((line) => line.jobId === jobId && line.msg === 'a job ended')
    await until(() => ended() !== undefined, 60_000, 'the line of the job')
    expect(ended()).toMatchObject({ pool: 'espeak', attempt: 1, outcome: 'completed', waitMs: expect.any(Number) })

    const stopped = service.stop()
    await until(async () => (await call(`${url}/health/ready`)).status === 503, 2_500, 'readiness to end')
    const ready = await call(`${url}/health/ready`)
    expect(ready.json()).toMatchObject({ status: 'unready', process: 'draining', database: 'ok' })
    expect(ready.headers.connection).toBe('close')
    expect((await submit('While it drains.')).status).toBe(202)
    expect(await stopped).toBe(0)

    const origin = { role: 'start', host: expect.any(String), pid: expect.any(Number), version: expect.any(String) }
    for (const line of lines()) expect(line).toMatchObject({ ...origin, time: expect.stringMatching(ISO) })
    expect(lines().at(-1)?.worker).toMatch(/^wrk_/)
    expect(lines()).toContainEqual(
      expect.objectContaining({ msg: 'a request', route: '/api/v1/voice/:slug', status: 202, method: 'POST' }),
    )
    expect(service.stderr()).not.toMatch(/Once|While it drains/)
  })
})
