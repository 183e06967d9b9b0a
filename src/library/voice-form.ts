import { type Detail, invalidRequest } from '../errors/service-error.ts'
import type { Form } from '../http/multipart-body.ts'
import type { NewVoice } from './add-voice.ts'

const FILE = 'audio_sample'
const REQUIRED = ['name', 'consent'] as const
const OPTIONAL = ['ref_text', 'language'] as const
const KNOWN: ReadonlySet<string> = new Set([...REQUIRED, ...OPTIONAL, FILE])

/**
 * @param ignoresOthers skips unknown fields
 * @throws INVALID_REQUEST
 */
export function readVoiceForm({ fields, files }: Form, ignoresOthers = false): NewVoice {
  const details: Detail[] = []
  for (const path of REQUIRED) if (fields[path] === undefined) details.push({ path, message: 'is required' })
  if (files[FILE] === undefined)
    details.push({ path: FILE, message: fields[FILE] === undefined ? 'is required' : 'must be a file' })
  for (const path of [...Object.keys(fields), ...Object.keys(files)])
    if (!ignoresOthers && !KNOWN.has(path)) details.push({ path, message: 'unknown key' })
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
  return {
    name: fields.name ?? '',
    audio: files[FILE] ?? new Uint8Array(0),
    consent: fields.consent ?? '',
    transcript: fields.ref_text || null,
    language: fields.language || null,
  }
}
