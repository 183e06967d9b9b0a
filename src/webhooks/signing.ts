import { createHmac, timingSafeEqual } from 'node:crypto'
import { newWebhookSecret } from '../accounts/create-account.ts'
import type { Parts } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { lockRowIn } from '../db/lock-row.ts'
import { newId } from '../values/id.ts'
import { type SecretVault, UnreadableSecret } from '../values/secret-vault.ts'

const TOLERANCE_SECONDS = 300
const PREFIX = 'whsec_'
/** Limits of Standard Webhooks, for secrets that receivers choose. */
const MIN_BYTES = 24
const MAX_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const OVERLAP_MS = 24 * 3_600_000
const SIGNING_SECRETS = 2
const NOW = 'floor(extract(epoch from now()))::bigint'
const SIGNING = '(expires_at is null or expires_at > now()) order by id desc'

export interface SignedHeaders {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

export interface Verification {
  readonly valid: boolean
  readonly problems: readonly string[]
  readonly id: string | null
  readonly ageSeconds: number | null
}

interface Captured {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface SigningParts extends Pick<Parts, 'log'> {
  readonly vault: SecretVault
}

interface SigningSecrets {
  /** Newest first; two within 24 hours of a rotation. */
  readonly secrets: readonly Buffer[]
  /** Unix seconds of the database's clock, which also decides freshness. */
  readonly timestamp: number
}

export interface SealedSecrets {
  readonly sealed: readonly Buffer[]
  readonly signedAt: string
}

export const signDelivery = (secrets: readonly Uint8Array[], id: string, timestamp: string, body: Uint8Array): string =>
  secrets.map((secret) => `v1,${mac(secret, id, timestamp, body).toString('base64')}`).join(' ')

/** Does not check the timestamp. */
export function hasSignature(secret: Uint8Array, headers: SignedHeaders, body: Uint8Array): boolean {
  const expected = Buffer.from(`v1,${mac(secret, headers.id, headers.timestamp, body).toString('base64')}`)
  return headers.signature.split(' ').some((value) => {
    const given = Buffer.from(value)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const mac = (secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()

/** Parses an HTTP capture: optional request line, headers, an empty line, the raw body. */
export function readCapture(file: Buffer): Captured {
  const [end, length] = endOfHead(file)
  const lines = file.toString('latin1', 0, end).split(/\r?\n/)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value] = /^([A-Za-z0-9-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value
  }
  return { headers, body: file.subarray(end + length) }
}

/** Checks a captured delivery as a receiver should. */
export function verifyDelivery(captured: Captured, secret: Uint8Array, now: Date): Verification {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = captured.headers
  const problems: string[] = []
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    if (captured.headers[name] === undefined) problems.push(`The header ${name} is missing.`)
  }
  const wellFormed = timestamp !== undefined && /^[1-9]\d{0,11}$/.test(timestamp)
  if (timestamp !== undefined && !wellFormed) problems.push('The timestamp is not in Unix seconds.')
  const ageSeconds = wellFormed ? Math.floor(now.getTime() / 1000) - Number(timestamp) : null
  if (ageSeconds !== null && Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
    problems.push(
      `The timestamp is ${Math.abs(ageSeconds)} s ${ageSeconds > 0 ? 'old' : 'ahead'}: at most 300 s are allowed.`,
    )
  }
  if (id !== undefined && timestamp !== undefined && signature !== undefined) {
    const headers = { id, timestamp, signature }
    if (!hasSignature(secret, headers, captured.body)) {
      const shorter = withoutLineEnd(captured.body)
      problems.push(
        shorter !== null && hasSignature(secret, headers, shorter)
          ? 'The file has a line end behind the body that was not sent: keep the raw body alone.'
          : 'No signature was made with this secret over these bytes: keep the raw body, not a re-serialised one.',
      )
    }
  }
  return { valid: problems.length === 0, problems, id: id ?? null, ageSeconds }
}

function withoutLineEnd(body: Buffer): Buffer | null {
  const [end] = /\r?\n$/.exec(body.toString('latin1')) ?? []
  return end === undefined ? null : body.subarray(0, -end.length)
}

function endOfHead(file: Buffer): [at: number, length: number] {
  const crlf = file.indexOf('\r\n\r\n')
  const lf = file.indexOf('\n\n')
  if (crlf >= 0 && (lf < 0 || crlf < lf)) return [crlf, 4]
  return lf >= 0 ? [lf, 2] : [file.length, 0]
}

export const writeWebhookSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString('base64')

/** Null if the text is no secret. */
export function readWebhookSecret(text: string): Buffer | null {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  return BASE64.test(encoded) && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : null
}

export const sealedColumns = (account: string): string =>
  `${NOW} as "signedAt", array(select sealed from webhook_secret where account_id = ${account} and ${SIGNING} limit ${SIGNING_SECRETS}) as sealed`

/**
 * Opens the account's signing secrets and creates the first. If only the older of two is unreadable, the newest signs alone.
 * @param read secrets already read, in this transaction or just before
 * @throws UnreadableSecret
 */
export async function signingSecrets(
  parts: SigningParts,
  tx: Pick<Tx, 'query'>,
  accountId: string,
  read?: SealedSecrets,
): Promise<SigningSecrets> {
  let found = read ?? (await findSealed(tx, accountId))
  if (found.sealed.length === 0) {
    // Without the lock two deliveries could each create a secret.
    await lockRowIn(tx, 'account', accountId)
    found = await findSealed(tx, accountId)
  }
  const timestamp = Number(found.signedAt)
  const [newest, ...older] = found.sealed
  if (newest === undefined) return { timestamp, secrets: [await addFirst(parts, tx, accountId)] }
  const secrets = [
    parts.vault.open(accountId, newest),
    ...older.flatMap((sealed) => openOlder(parts, accountId, sealed)),
  ]
  return { timestamp, secrets }
}

function openOlder({ vault, log }: SigningParts, accountId: string, sealed: Buffer): Buffer[] {
  try {
    return [vault.open(accountId, sealed)]
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    log.warn({ accountId }, 'an old webhook secret does not open: the newest signs alone')
    return []
  }
}

async function addFirst({ vault }: SigningParts, tx: Pick<Tx, 'query'>, accountId: string): Promise<Buffer> {
  const secret = newWebhookSecret()
  const sealed = vault.seal(accountId, secret)
  // The transaction that ends a job takes SQL, not Prisma Client.
  await tx.query('insert into webhook_secret (account_id, sealed, public_id) values ($1, $2, $3)', [
    accountId,
    sealed,
    newId('secret'),
  ])
  return secret
}

async function findSealed(tx: Pick<Tx, 'query'>, accountId: string): Promise<SealedSecrets> {
  const text = `select ${sealedColumns('$1')}`
  const { rows } = await tx.query<SealedSecrets>({ name: 'signing_secrets', text, values: [accountId] })
  return rows[0]!
}
