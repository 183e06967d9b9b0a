import type { ChatModel } from './chat-completions.ts'
import type { Moderator } from './moderate.ts'

/** Scopes of the companion; none is granted by default (contract.md section 8). */
export const CHAT_SCOPE = 'companion:chat'
export const RETARGET_SCOPE = 'companion:retarget'
export const MEDIA_TAG_SCOPE = 'companion:media_tag'

/** Unicode code points of one message to the companion. */
export const MAX_MESSAGE_CHARACTERS = 8000
/** Unicode code points of a persona. */
export const MAX_PERSONA_CHARACTERS = 4000

/** The outside servers that companion work is done by. */
export interface Companion {
  /** null where the operator has configured none: then nothing is answered, but everything is moderated. */
  readonly model: ChatModel | null
  readonly moderator: Moderator
  /** How long one request may take, all its calls together. */
  readonly timeoutMs: number
}
