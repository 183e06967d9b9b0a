import type { CompanionSettings } from '../context/companion-settings.ts'
import { openChatModel } from './chat-completions.ts'
import type { Companion } from './companion.ts'
import { openModerator } from './moderate.ts'

export const openCompanion = async (settings: CompanionSettings): Promise<Companion> => ({
  model: settings.baseUrl === null ? null : await openChatModel({ ...settings, baseUrl: settings.baseUrl }),
  moderator: await openModerator(settings),
  timeoutMs: settings.timeoutSeconds * 1000,
})
