import type { Parts } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { findJobWith } from '../jobs/job.ts'
import { type PolledJob, presentVoiceJob } from '../jobs/job-result.ts'
import type { UrlParts } from '../jobs/sign-outputs.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { idTime } from '../values/id.ts'
import { UnreadableSecret } from '../values/secret-vault.ts'
import type { DeliveryKind } from './delivery/webhook-delivery.ts'
import { type SealedSecrets, type SigningParts, sealedColumns, signDelivery, signingSecrets } from './signing.ts'

export interface DeliveryParts extends Parts, SigningParts, UrlParts, MeasuredParts {}

export interface PayloadSnapshot {
  readonly timestamp: number
  readonly signature: string
  readonly body: Buffer
}

export interface Subject {
  readonly accountId: string
  readonly kind: DeliveryKind
  readonly jobId: string
}

export const SIGNED_COLUMNS = sealedColumns('j.account_id')
const SIGNED_JOB = { name: 'signed_job', columns: SIGNED_COLUMNS }
const SAMPLE_OUTPUT = { output: 'audio', contentType: 'audio/wav' }

/** Returns body and signature as of now; null if the account's secret is unreadable, because nothing is sent unsigned. */
export async function snapshotPayload(
  parts: DeliveryParts,
  tx: Tx,
  deliveryId: string,
  subject: Subject,
): Promise<PayloadSnapshot | null> {
  const finished = subject.kind === 'job' ? await finishedJob(tx, subject.jobId) : undefined
  const { accountId } = subject
  try {
    return await signPayload(parts, tx, { deliveryId, accountId }, finished ?? sampleJob(subject.jobId))
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    // The job still ends; its delivery is recorded as failed.
    parts.log.error({ accountId }, 'a webhook secret does not open: set OLD_SECRET_KEY and rekey')
    return null
  }
}

/**
 * Signs a job that was read with its secrets; queries `tx` only if the account has none.
 * @throws UnreadableSecret
 */
export async function signPayload(
  parts: DeliveryParts,
  tx: Pick<Tx, 'query'>,
  { deliveryId, accountId }: { readonly deliveryId: string; readonly accountId: string },
  job: PolledJob & Partial<SealedSecrets>,
): Promise<PayloadSnapshot> {
  const body = Buffer.from(JSON.stringify(await presentVoiceJob(parts, job)))
  const { sealed, signedAt } = job
  const read = sealed && signedAt !== undefined ? { sealed, signedAt } : undefined
  const { secrets, timestamp } = await signingSecrets(parts, tx, accountId, read)
  return { timestamp, body, signature: signDelivery(secrets, deliveryId, String(timestamp), body) }
}

async function finishedJob(tx: Tx, jobId: string): Promise<PolledJob & SealedSecrets> {
  const job = await findJobWith<SealedSecrets>(tx, jobId, SIGNED_JOB)
  if (job === null) throw new Error(`the job ${jobId} vanished`)
  return job
}

const sampleJob = (jobId: string): PolledJob => ({
  id: jobId,
  endpointKey: '',
  status: 'completed',
  createdAt: idTime(jobId),
  completedAt: idTime(jobId),
  errorCode: null,
  storedOutputs: [{ ...SAMPLE_OUTPUT, storageKey: `${jobId}/1/audio.wav` }],
})
