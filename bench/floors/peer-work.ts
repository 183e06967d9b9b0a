import { join } from 'node:path'
import type { Pool } from 'pg'
import { request } from 'undici'
import { openDisk } from '../../src/storage/disk.ts'

// A job of this service as another queue's handler would do it: the same engine, the same file and the same rows.

const COST = 18
const INPUTS = { text: 'A second of sound.', voice: 'calm' }

export const INSERT_JOB = {
  name: 'insert_peer_job',
  text: `insert into job (id, account_id, type, endpoint_key, inputs, cost, created_at)
    values ($1, $2, 'voice', 'voice.bench', $3, ${COST}, now())`,
}

/** Charge, ledger, completed state and artifact in one transaction, once for a job: the second time there is nothing to do. */
const COMPLETE = {
  name: 'complete_peer_job',
  text: `
    with done as (
      update job set status = 'completed', attempt = 1, started_at = $2, completed_at = now()
      where id = $1 and status = 'queued' returning id, account_id, cost
    ), paid as (
      update account a set credits = a.credits - done.cost from done where a.id = done.account_id and a.credits >= done.cost
    ), entered as (
      insert into credit_entry (account_id, kind, amount, job_id) select account_id, 'charge', -cost, id from done
    )
    insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, captions)
    select 'art' || substr(id, 4), id, 'audio', $3, 'audio/wav', $4, $5, 1000, '{}' from done`,
}

export const insertValues = (jobId: string): unknown[] => [jobId, process.env.ACCOUNT_ID, JSON.stringify(INPUTS)]

/** @param pool of the queue's own process, as its handlers have one */
export function openWork(pool: Pool): (jobId: string) => Promise<void> {
  const dir = join(process.env.FILES_DIR!, 'artifacts')
  const files = openDisk({ dir, publicUrl: () => 'http://localhost', signingKey: new Uint8Array(32) })
  return async (jobId) => {
    const begun = new Date()
    const { body } = await request(process.env.SPEECH_URL!, {
      method: 'POST',
      body: JSON.stringify({ input: INPUTS.text }),
    })
    const wav = new Uint8Array(await body.arrayBuffer())
    const key = `${jobId}/1/audio.wav`
    const { bytes, sha256 } = await files.put(key, wav, { contentType: 'audio/wav' })
    await pool.query({ ...COMPLETE, values: [jobId, begun, key, bytes, sha256] })
  }
}
