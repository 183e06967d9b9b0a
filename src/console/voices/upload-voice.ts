import { ApiError } from '../api/api-error.ts'
import { errorOfAnswer, jsonOf, noteError } from '../api/ask.ts'
import { at } from '../api/base.ts'

/** A recording as the form has it. */
interface NewVoice {
  readonly name: string
  readonly file: File
  /** How the speaker has agreed. */
  readonly consent: string
  /** '' where it is not known. */
  readonly transcript: string
  readonly language: string
}

/** Sends a recording: files do not fit into GraphQL, so that this goes to a route of its own. @throws ApiError */
export async function uploadVoice({ name, file, consent, transcript, language }: NewVoice): Promise<void> {
  const form = new FormData()
  const fields = { name, consent, ref_text: transcript, language }
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('audio_sample', file)
  const response = await send(form)
  const answer = await bodyOf(response)
  if (response.status === 201 && typeof answer === 'object' && answer !== null) return
  const error = errorOfAnswer(response, answer)
  noteError(error.code)
  throw error
}

/** @throws ApiError OFFLINE: the answer was lost on its way */
async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await jsonOf(response)
  } catch (error) {
    if (response.status !== 201) throw error
    throw new ApiError(
      'The answer was lost: the recording may have been stored. Look at the list before you add it again.',
      {
        code: 'OFFLINE',
      },
    )
  }
}

async function send(body: FormData): Promise<Response> {
  try {
    return await fetch(at('/voices'), { method: 'POST', body, credentials: 'same-origin' })
  } catch {
    throw new ApiError('The service cannot be reached: check the connection.', { code: 'OFFLINE' })
  }
}
