import type { Context } from '../context/context.ts'
import type { EndingParts } from '../jobs/lifecycle/job-end.ts'
import type { ChatModel } from './chat-completions.ts'
import type { Moderator } from './moderate.ts'

/** Unicode code points. */
export const MAX_MESSAGE_CHARACTERS = 8000
/** Unicode code points. */
export const MAX_PERSONA_CHARACTERS = 4000

export interface CompanionContext extends Context, EndingParts {
  readonly companion: Companion
}

export interface Companion {
  /** Null: nothing is answered, but everything is moderated. */
  readonly model: ChatModel | null
  readonly moderator: Moderator
  readonly timeoutMs: number
}
