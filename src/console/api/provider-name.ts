import { signal } from '@preact/signals'

/** The name of the OpenID Connect provider that signs users in; null: there is none. */
export const providerName = signal<string | null>(null)
