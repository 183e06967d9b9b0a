import type { CompanionSettings } from '../context/config.ts'
import type { Context } from '../context/context.ts'
import type { EndingParts } from '../jobs/lifecycle/end-jobs.ts'
import { type ChatModel, openChatModel } from './chat-completions.ts'
import { type Moderator, openModerator } from './moderate.ts'

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

export const openCompanion = async (settings: CompanionSettings): Promise<Companion> => ({
  model: settings.baseUrl === null ? null : await openChatModel({ ...settings, baseUrl: settings.baseUrl }),
  moderator: await openModerator(settings),
  timeoutMs: settings.timeoutSeconds * 1000,
})
