import { requireAccount } from '../access/require.ts'
import { usedThisMonth } from '../accounts/monthly-usage.ts'
import { myEndpoints } from '../catalog/endpoints.ts'
import { textLimit } from '../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { LANGUAGE_CODES, LANGUAGES } from '../engines/espeak/detect-language.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { findModel } from '../speech/reach-models.ts'
import { meaningOf } from '../speech/speech-request.ts'
import { idTime } from '../values/id.ts'

/** Names that clients send unasked, each of them the usual model. */
const ELEVENLABS_NAMES = [
  'eleven_multilingual_v2',
  'eleven_v3',
  'eleven_flash_v2_5',
  'eleven_turbo_v2_5',
  'eleven_flash_v2',
  'eleven_turbo_v2',
  'eleven_multilingual_v1',
  'eleven_monolingual_v1',
]

/** `GET /v1/models` for clients of ElevenLabs. */
export function listElevenlabsModels(ctx: Context) {
  const own = myEndpoints(ctx).map((endpoint) => modelEntry(endpoint.slug, endpoint))
  const usual = findModel(ctx, undefined)
  return [...own, ...(usual === undefined ? [] : ELEVENLABS_NAMES.map((id) => modelEntry(id, usual)))]
}

function modelEntry(id: string, endpoint: VoiceEndpoint) {
  const limit = textLimit(endpoint)
  return {
    model_id: id,
    name: id === endpoint.slug ? endpoint.name : id,
    can_be_finetuned: false,
    can_do_text_to_speech: true,
    can_do_voice_conversion: false,
    can_use_style: false,
    can_use_speaker_boost: false,
    serves_pro_voices: false,
    token_cost_factor: endpoint.creditsPerCharacter,
    description: endpoint.description ?? '',
    requires_alpha_access: false,
    max_characters_request_free_user: limit,
    max_characters_request_subscribed_user: limit,
    maximum_text_length_per_request: limit,
    languages: languagesOf(endpoint).map((language) => ({ language_id: LANGUAGE_CODES[language], name: language })),
    model_rates: { character_cost_multiplier: endpoint.creditsPerCharacter },
    concurrency_group: 'standard',
  }
}

/** The languages that the endpoint's schema lists, or all. */
function languagesOf({ inputs }: VoiceEndpoint) {
  const { language } = (inputs.properties ?? {}) as Readonly<Record<string, { readonly enum?: unknown } | undefined>>
  const listed = Array.isArray(language?.enum) ? language.enum : null
  return LANGUAGES.filter((one) => listed === null || listed.some((name) => meaningOf(String(name)) === one))
}

/** `GET /v1/user/subscription`: the credits that the account's jobs used this month, and what the caller may use beyond. */
export async function showSubscription(ctx: ServiceContext) {
  const { accountId, credits, allowance } = requireAccount(ctx)
  const left = allowance != null && allowance < credits ? allowance : credits
  const used = (await usedThisMonth(ctx, [accountId])).get(accountId) ?? 0
  const now = ctx.now()
  return {
    tier: 'sonant',
    status: 'active',
    character_count: used,
    character_limit: used + Math.max(0, Number(left)),
    next_character_count_reset_unix: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1000,
    max_credit_limit_extension: 0,
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    voice_slots_used: 0,
    professional_voice_slots_used: 0,
    professional_voice_slots_used_in_workspace: 0,
    voice_limit: 0,
    voice_add_edit_counter: 0,
    professional_voice_limit: 0,
    can_extend_voice_limit: false,
    can_use_instant_voice_cloning: false,
    can_use_professional_voice_cloning: false,
    current_overage: { amount: '0', currency: 'usd' },
    open_invoices: [],
    has_open_invoices: false,
  }
}

/** `GET /v1/user`. */
export async function showUser(ctx: ServiceContext) {
  const { accountId } = requireAccount(ctx)
  return {
    user_id: accountId,
    workspace_id: accountId,
    subscription: await showSubscription(ctx),
    is_new_user: false,
    can_use_delayed_payment_methods: false,
    is_onboarding_completed: true,
    is_onboarding_checklist_completed: true,
    created_at: Math.floor(idTime(accountId).getTime() / 1000),
    seat_type: 'workspace_member',
  }
}
