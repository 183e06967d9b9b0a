export interface CompanionSettings {
  /** null: no model; nothing is answered. */
  readonly baseUrl: string | null
  readonly model: string
  readonly apiKey: string | null
  /** null: only the blocked terms apply. */
  readonly moderationBaseUrl: string | null
  readonly moderationModel: string | null
  readonly moderationApiKey: string | null
  /** null: the built-in list. */
  readonly blockedTerms: readonly string[] | null
  readonly timeoutSeconds: number
}

interface Values {
  readonly COMPANION_BASE_URL?: string | undefined
  readonly COMPANION_MODEL: string
  readonly COMPANION_API_KEY?: string | undefined
  readonly COMPANION_TIMEOUT_SECONDS: number
  readonly COMPANION_BLOCKED_TERMS?: readonly string[] | undefined
  readonly MODERATION_BASE_URL?: string | undefined
  readonly MODERATION_MODEL?: string | undefined
  readonly MODERATION_API_KEY?: string | undefined
}

export const companionSettings = (values: Values): CompanionSettings => ({
  baseUrl: values.COMPANION_BASE_URL ?? null,
  model: values.COMPANION_MODEL,
  apiKey: values.COMPANION_API_KEY ?? null,
  moderationBaseUrl: values.MODERATION_BASE_URL ?? null,
  moderationModel: values.MODERATION_MODEL ?? null,
  moderationApiKey: values.MODERATION_API_KEY ?? null,
  blockedTerms: values.COMPANION_BLOCKED_TERMS ?? null,
  timeoutSeconds: values.COMPANION_TIMEOUT_SECONDS,
})
