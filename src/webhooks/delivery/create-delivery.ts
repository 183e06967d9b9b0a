import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { findJobWith } from '../../jobs/find-job.ts'
import type { DeliveryPort, MadeDelivery } from '../../jobs/lifecycle/job-end.ts'
import { type PolledJob, presentVoiceJob } from '../../jobs/present-voice-job.ts'
import type { UrlParts } from '../../jobs/speech-urls.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import type { RowInsert } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import { UnreadableSecret } from '../../values/secret-vault.ts'
import { signDelivery } from '../signing/sign.ts'
import { type SealedSecrets, type SigningParts, sealedColumns, signingSecrets } from '../signing/signing-secrets.ts'
import type { BegunRow } from './begin-attempt.ts'
import { noteEndedDelivery } from './note-attempt.ts'
import { concurrencyKeyOf, type DeliveryKind, LEASE_SECONDS } from './webhook-delivery.ts'

/** What making a delivery needs: the secrets that sign it. */
export interface DeliveryParts extends Parts, SigningParts, UrlParts {}

const SAMPLE_OUTPUT = { output: 'audio', contentType: 'audio/wav' }

/** What a delivery is about. A test has the id of a job that never was. */
interface Subject {
  readonly accountId: string
  readonly kind: DeliveryKind
  readonly jobId: string
  /** Its attempt is begun apart: what holds that up holds up nothing else. */
  readonly isBegunLater?: boolean
}

/** A delivery that is there once its transaction is committed. */
export interface CreatedDelivery extends MadeDelivery {
  readonly id: string
}

interface PayloadSnapshot {
  /** Unix seconds. */
  readonly timestamp: number
  readonly signature: string
  readonly body: Buffer
}

/**
 * Creates the delivery of a job that `tx` just ended, with the snapshot of its payload, and queues it, all in that transaction: it is
 * there if and only if the terminal state is. Where this process would attempt it at once, it is created with that attempt begun.
 */
export async function createDelivery(
  parts: DeliveryParts,
  tx: Tx,
  subject: Subject,
  url: string,
): Promise<CreatedDelivery> {
  const id = newId('msg', parts.now())
  const content = await snapshotPayload(parts, tx, id, subject)
  const after = () => notifyAccount(parts, subject.accountId, id)
  if (content === null) {
    const { name, text, row } = insertOf(CREATE, id, subject, url, null)
    await tx.query({ name, text: text('true'), values: row.map((value) => [value]) })
    const committed = () => noteEndedDelivery(parts.telemetry, 'secret_unreadable')
    return { id, ...settledBy(committed, after) }
  }
  const concurrencyKey = concurrencyKeyOf(subject.accountId, url)
  const reservation = subject.isBegunLater ? null : parts.queue.reserve(WEBHOOK_KIND, id, concurrencyKey)
  if (reservation === null) {
    await parts.queue.enqueue(tx, insertOf(CREATE, id, subject, url, content), WEBHOOK_KIND, id, { concurrencyKey })
    return { id, ...settledBy(() => parts.queue.wake(WEBHOOK_KIND), after) }
  }
  const insert = insertOf(CREATE_BEGUN, id, subject, url, content)
  const begun = begunRow(id, subject, url, content)
  const abandoned = () => reservation.giveUp(begun)
  const options = { concurrencyKey, reservation }
  await parts.queue.enqueue(tx, insert, WEBHOOK_KIND, id, options).catch((error: unknown) => {
    abandoned()
    throw error
  })
  return { id, ...settledBy(() => reservation.begin(begun), after), abandoned }
}

function begunRow(id: string, { accountId }: Subject, url: string, content: PayloadSnapshot): BegunRow {
  const { body, signature, timestamp } = content
  return { id, account_id: accountId, url, body, signature, timestamp: String(timestamp), round: 1, attempt: 1 }
}

const settledBy = (committed: () => void, after: () => void): MadeDelivery => ({
  committed: () => {
    committed()
    after()
  },
  abandoned: () => undefined,
})

interface Insert extends Omit<RowInsert, 'row'> {}

const insertion = (attempt: number, nextAttemptAt: string) => (condition: string) =>
  `
    insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at,
      attempt, next_attempt_at, state, outcome, finished_at)
    select id, account_id, kind, job_id, url, timestamp, signature, body, created_at, ${attempt}, ${nextAttemptAt},
      case when outcome is null then 'pending' else 'failed' end::webhook_delivery_state, outcome,
      case when outcome is not null then greatest(now(), created_at) end
    from unnest($1::text[], $2::text[], $3::webhook_delivery_kind[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[],
      $9::timestamptz[], $10::text[])
      as made (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, outcome)
    where ${condition}`

const CREATE: Insert = { name: 'create_delivery', text: insertion(0, 'now()') }

/** With its first attempt, by the clock of then: the transaction may have waited. */
const CREATE_BEGUN: Insert = {
  name: 'create_begun_delivery',
  with: `begun as (
    insert into webhook_attempt (delivery_id, round, number, started_at) select id, 1, 1, clock_timestamp() from unnest($1::text[]) as id
  )`,
  text: insertion(1, `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`),
}

function insertOf(
  insert: Insert,
  id: string,
  subject: Subject,
  url: string,
  content: PayloadSnapshot | null,
): RowInsert {
  const { accountId, kind, jobId } = subject
  const { timestamp = 0, signature = '', body = null } = content ?? {}
  const outcome = content === null ? 'secret_unreadable' : null
  return { ...insert, row: [id, accountId, kind, jobId, url, timestamp, signature, body, idTime(id), outcome] }
}

/** How ending jobs reach this room. @param parts asked for at the first delivery */
export const openDeliveryPort = (parts: () => DeliveryParts): DeliveryPort => ({
  create: (tx, job, url, isRepeated) =>
    createDelivery(parts(), tx, { ...job, kind: 'job', isBegunLater: isRepeated }, url),
})

/** The bytes and the signature of a delivery as of now; null where the account's secret does not open: nothing goes out unsigned. */
export async function snapshotPayload(
  parts: DeliveryParts,
  tx: Tx,
  deliveryId: string,
  subject: Subject,
): Promise<PayloadSnapshot | null> {
  const finished = subject.kind === 'job' ? await finishedJob(tx, subject.jobId) : undefined
  const job = finished ?? sampleJob(subject.jobId)
  const body = Buffer.from(JSON.stringify(await presentVoiceJob(parts, job)))
  try {
    const { secrets, timestamp } = await signingSecrets(parts, tx, subject.accountId, finished)
    return { timestamp, body, signature: signDelivery(secrets, deliveryId, String(timestamp), body) }
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    // The job must end all the same: a delivery that cannot be signed is recorded as failed.
    parts.log.error({ accountId: subject.accountId }, 'a webhook secret does not open: set OLD_SECRET_KEY and rekey')
    return null
  }
}

/** What is sent of a job and what signs it, in one way to the database: the transaction that ends the job waits for it. */
const SIGNED_JOB = { name: 'signed_job', columns: sealedColumns('j.account_id') }

async function finishedJob(tx: Tx, jobId: string): Promise<PolledJob & SealedSecrets> {
  const job = await findJobWith<SealedSecrets>(tx, jobId, SIGNED_JOB)
  if (job === null) throw new Error(`the job ${jobId} vanished`)
  return job
}

/** What a completed job looks like, its URL signed like any other; it leads to nothing. */
const sampleJob = (jobId: string): PolledJob => ({
  id: jobId,
  endpointKey: '',
  status: 'completed',
  createdAt: idTime(jobId),
  completedAt: idTime(jobId),
  errorCode: null,
  storedOutputs: [{ ...SAMPLE_OUTPUT, storageKey: `${jobId}/1/audio.wav` }],
})
