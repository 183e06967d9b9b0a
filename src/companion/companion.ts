import type { Context } from '../context/context.ts'
import type { EndingParts } from '../jobs/lifecycle/job-end.ts'
import type { ChatModel } from './chat-completions.ts'
import type { Moderator } from './moderate.ts'

/** Unicode code points of one message to the companion. */
export const MAX_MESSAGE_CHARACTERS = 8000
/** Unicode code points of a persona. */
export const MAX_PERSONA_CHARACTERS = 4000

/** What companion verbs need: the servers that do their work. */
export interface CompanionContext extends Context, EndingParts {
  readonly companion: Companion
}

/** The outside servers that companion work is done by. */
export interface Companion {
  /** null where the operator has configured none: then nothing is answered, but everything is moderated. */
  readonly model: ChatModel | null
  readonly moderator: Moderator
  /** How long one request may take, all its calls together. */
  readonly timeoutMs: number
}
