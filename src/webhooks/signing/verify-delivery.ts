import { hasSignature, TOLERANCE_SECONDS } from './sign.ts'

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
