import { invalidRequest } from '../../errors/service-error.ts'
import { rejectMisread } from '../../http/json-body.ts'

const OBJECTS = ['variables', 'extensions']

/** @throws INVALID_REQUEST */
export function rejectMisreadParameters({ searchParams }: URL): void {
  for (const name of OBJECTS) {
    const text = searchParams.get(name)
    if (text === null || text === '') continue
    const value = parsed(text)
    if (value === null) continue
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw invalidRequest('Invalid request: see `details`.', [{ path: name, message: 'must be a JSON object' }])
    }
    rejectMisread(value)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
