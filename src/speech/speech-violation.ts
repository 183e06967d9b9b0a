import type { ErrorCode } from '../errors/service-error.ts'

/** A field that a request for speech must change. `field` and `code` are OpenAI's names. */
export class SpeechViolation extends Error {
  override readonly name = 'SpeechViolation'
  readonly field: string
  readonly code: string
  readonly status: 400 | 404

  constructor(field: string, message: string, code = 'invalid_value', status: 400 | 404 = 400) {
    super(message)
    this.field = field
    this.code = code
    this.status = status
  }
}

export const violationCode = ({ status }: SpeechViolation): ErrorCode =>
  status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST'
