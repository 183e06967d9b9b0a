import type { Database } from '../db/database.ts'
import { publicIdOf, wherePublicId } from '../db/public-id.ts'
import { isId } from '../values/id.ts'

// A job has at most one charge and one refund. Their ids are the job's, with another version in the UUID.
const SUFFIX = 'job_'.length
const VERSION = 10
/** The base32 character of the UUID's version: 7 in a charge, 8 in a refund. */
const [CHARGED, REFUNDED] = ['ef', 'gh'] as const

interface NamedEntry {
  readonly id: bigint
  readonly kind: string
  readonly jobId: string | null
  readonly publicId: string | null
}

export function entryId(entry: NamedEntry): string {
  const { kind, jobId } = entry
  if (jobId === null) return publicIdOf('entry', entry)
  const suffix = jobId.slice(SUFFIX)
  return `entry_${kind === 'refund' ? withVersion(suffix, CHARGED, REFUNDED) : suffix}`
}

export const ENTRY_ID = `case when job_id is null then coalesce(public_id, 'entry_' || id)
  when kind = 'refund' then 'entry_' || overlay(substr(job_id, ${SUFFIX + 1})
    placing translate(substr(job_id, ${SUFFIX + VERSION + 1}, 1), '${CHARGED}', '${REFUNDED}') from ${VERSION + 1})
  else 'entry_' || substr(job_id, ${SUFFIX + 1}) end`

/** @param accountId undefined: of any account */
export async function entryNumber(
  { creditEntry }: Database['prisma'],
  text: string,
  accountId: string | undefined,
): Promise<bigint | null> {
  const own = wherePublicId('entry', text)
  if (own === null) return null
  const ofAccount = accountId === undefined ? {} : { accountId }
  const job = isId('entry', text) ? jobOf(text) : null
  const found =
    (job && (await creditEntry.findFirst({ where: { ...job, ...ofAccount }, select: { id: true } }))) ??
    (await creditEntry.findFirst({ where: { ...own, ...ofAccount, jobId: null }, select: { id: true } }))
  return found?.id ?? null
}

function jobOf(text: string): { jobId: string; kind: 'charge' | 'refund' } {
  const suffix = text.slice('entry_'.length)
  const isRefund = REFUNDED.includes(suffix[VERSION]!)
  return {
    jobId: `job_${isRefund ? withVersion(suffix, REFUNDED, CHARGED) : suffix}`,
    kind: isRefund ? 'refund' : 'charge',
  }
}

function withVersion(suffix: string, from: string, to: string): string {
  const digit = suffix[VERSION]!
  return suffix.slice(0, VERSION) + (to[from.indexOf(digit)] ?? digit) + suffix.slice(VERSION + 1)
}
