import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { call, freePorts } from '../../setup/http.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'
import { readWav } from '../../setup/speech/wav.ts'

interface Change {
  readonly jobsUpdated: { id: string; status: string; result: { outputs: { audio: string } } | null }
}

const JOBS = 'subscription { jobsUpdated { id status result { outputs } } }'
const CLIENTS = [openSocketClient, openEventClient] as const

describe('what is submitted to one process and performed by another', { timeout: 120_000 }, () => {
  const open: { database?: TestDatabase } = {}
  afterAll(async () => {
    await endProcesses()
    await open.database?.drop()
    await cleanUp()
  })

  test('is reported by a third to the clients that follow it, and to no other account', async () => {
    open.database = await createTestDatabase('opened')
    const shared = {
      DATABASE_URL: open.database.url,
      DATA_DIR: join(await makeTempDir(), 'data'),
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    }
    const ports = await freePorts(2)
    const [here, there] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string]
    const serve = (port: number) => startRole(['serve'], { ...shared, PORT: String(port), PUBLIC_URL: here })
    await serve(ports[0]!)
    await serve(ports[1]!)
    const makeCaller = async (name: string) => {
      await makeAccount(shared, name, 1000)
      return (await makeKey(shared, name)).apiKey
    }
    const keys = await Promise.all(['one', 'two'].map(makeCaller))
    const subscribers = keys.map((key) => CLIENTS.map((openClient) => openClient(here, key)))
    const heard = subscribers.map((clients) => clients.map((client) => client.subscribe<Change>(JOBS)))
    const submitted: string[][] = [[], []]
    const submitToEach = () =>
      Promise.all(
        keys.map(async (key, index) => {
          const id = await submitText(there, key, 'tts', 'Far away.', 'aria')
          submitted[index]!.push(id)
          for (const one of heard[index]!) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === id)
        }),
      )
    // The first may come as what there was when they subscribed. Then they follow: the second comes as it happens.
    await submitToEach()
    await submitToEach()

    await startRole(['work'], shared)
    for (const [index, ids] of submitted.entries()) {
      for (const [id, one] of ids.flatMap((id) => heard[index]!.map((one) => [id, one] as const))) {
        const { jobsUpdated } = await one.waitFor(({ jobsUpdated: at }) => at.id === id && at.status === 'COMPLETED')
        expect(readWav((await call(jobsUpdated.result!.outputs.audio)).bytes)).toMatchObject({ whole: true })
      }
    }
    for (const [index, ids] of submitted.entries()) {
      for (const { data, errors } of heard[index]!) {
        expect(errors).toEqual([])
        expect([...new Set(data.map(({ jobsUpdated }) => jobsUpdated.id))].toSorted()).toEqual(ids.toSorted())
      }
    }
    await Promise.all(subscribers.flat().map((client) => client.dispose()))
  })
})
