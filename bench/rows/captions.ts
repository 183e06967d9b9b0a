import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { request } from 'undici'
import { CAPTION_FORMATS } from '../../src/audio/format.ts'
import { GOALS } from '../goals.ts'
import type { Measure, Row } from '../measure.ts'
import { median, quantile } from '../measure.ts'
import { SENTENCES } from '../sentences.ts'

const { p50Ms: REACH_MS } = GOALS.captions
const POLL_MS = 50
/** About ten minutes of speech, and as long as a text may be. */
const CHARACTERS = 9900

/** From the GET of a ten-minute job's captions to their last byte: of speech with its times, and of the same without, where they are estimated. */
export const captions: Row = {
  name: 'captions',
  what: 'GET the captions of a 10-minute job',
  reach: `p50 <= ${REACH_MS} ms`,
  run: async (environment) => {
    const { apiKey, url } = await environment.database()
    const service = await environment.serve('start')
    const pool = new Pool({ connectionString: url, max: 1 })
    const notes: string[] = []
    const measures: Measure[] = []
    const times = environment.quick ? 15 : 50
    try {
      const { jobId, minutes } = await speakLong(service.url, apiKey, pool)
      for (const what of ['timed', 'estimated'] as const) {
        if (what === 'estimated') await pool.query('update artifact set timing = null where job_id = $1', [jobId])
        for (const format of CAPTION_FORMATS) {
          const file = `${service.url}/api/v1/voice/jobs/${jobId}/captions?format=${format}`
          const took: number[] = []
          for (let n = 0; n < times; n++) took.push(await timed(file, apiKey))
          const value = median(took)
          const reach = `<= ${REACH_MS} ms`
          measures.push({
            what: `${what} ${format}`,
            unit: 'ms',
            floor: null,
            value,
            ratio: null,
            reach,
            reached: value <= REACH_MS,
          })
          notes.push(`${what} ${format}: first ${took[0]!.toFixed(1)} ms, p95 ${quantile(took, 0.95).toFixed(1)} ms`)
        }
      }
      notes.unshift(`${minutes.toFixed(1)} minutes of speech`)
    } finally {
      await pool.end()
      await service.stop()
    }
    return { name: 'captions', measures, notes }
  },
}

async function speakLong(url: string, apiKey: string, pool: Pool): Promise<{ jobId: string; minutes: number }> {
  const english = SENTENCES.filter(({ language }) => language === 'English').map(({ text }) => text)
  let text = ''
  for (let at = 0; ; at++) {
    const longer = `${text} ${english[at % english.length]}`.trim()
    if (longer.length > CHARACTERS) break
    text = longer
  }
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ inputs: { text, voice: 'aria', language: 'English' } })
  const submitted = await request(`${url}/api/v1/voice/tts`, { method: 'POST', headers, body })
  const { job_id: jobId } = (await submitted.body.json()) as { job_id: string }
  for (;;) {
    const { rows } = await pool.query<{ duration_ms: number }>('select duration_ms from artifact where job_id = $1', [
      jobId,
    ])
    if (rows[0] !== undefined) return { jobId, minutes: rows[0].duration_ms / 60_000 }
    await wait(POLL_MS)
  }
}

async function timed(url: string, apiKey: string): Promise<number> {
  const started = performance.now()
  const { statusCode, body } = await request(url, { headers: { authorization: `Bearer ${apiKey}` } })
  await body.dump({ limit: 2 ** 24 })
  if (statusCode !== 200) throw new Error(`the captions were answered with ${statusCode}`)
  return performance.now() - started
}
