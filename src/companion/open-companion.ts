import type { CompanionSettings } from '../context/companion-settings.ts'
import { openChatModel } from './chat-completions.ts'
import type { Companion } from './companion.ts'
import { openModerator } from './moderate.ts'

/** The servers that the operator has configured; nothing is asked before the first request. */
export const openCompanion = (settings: CompanionSettings): Companion => ({
  model: settings.baseUrl === null ? null : openChatModel({ ...settings, baseUrl: settings.baseUrl }),
  moderator: openModerator(settings),
  timeoutMs: settings.timeoutSeconds * 1000,
})
