import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import type { Database } from './environment.ts'

const PERIOD_MS = 25
const BODY = JSON.stringify({ inputs: { text: 'Beside other work.', voice: 'aria' } })

/** Submits at a steady pace for as long as `work` takes; how long each answer took, in milliseconds. Throws where one was refused. */
export const submitter =
  (url: string, { apiKey }: Pick<Database, 'apiKey'>) =>
  async (work: () => Promise<unknown>): Promise<number[]> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answers: Promise<number>[] = []
    let done = false
    const working = work().finally(() => {
      done = true
    })
    while (!done) {
      answers.push(timed(() => request(`${url}/api/v1/voice/tts`, { method: 'POST', headers, body: BODY })))
      await wait(PERIOD_MS)
    }
    await working
    return Promise.all(answers)
  }

async function timed(send: () => ReturnType<typeof request>): Promise<number> {
  const since = performance.now()
  const { statusCode, body } = await send()
  await body.dump()
  if (statusCode !== 202) throw new Error(`a submission was answered with ${statusCode}`)
  return performance.now() - since
}
