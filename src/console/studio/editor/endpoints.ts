import { useQuery } from '../../api/use-query.ts'
import { ownVoices, type VoicesQuery, voices as voicesQuery } from '../../operations.ts'
import type { Settings } from '../model/project.ts'

export type Endpoint = VoicesQuery['myEndpoints'][number]

/** Null while they are not known. */
export const useEndpoints = () => {
  const query = useQuery(voicesQuery, {})
  return { endpoints: query.data?.myEndpoints ?? null, reload: query.reload }
}

/** An endpoint with the account's own voices, where it speaks with them. */
export function useWithOwnVoices(endpoint: Endpoint | undefined) {
  const own = useQuery(ownVoices, endpoint?.libraryVoices ? { slug: endpoint.slug } : null)
  const found = own.data?.endpointVoices
  if (endpoint === undefined) return undefined
  return found?.slug === endpoint.slug ? { ...endpoint, voices: found.voices } : endpoint
}

/** The endpoint that settings lead to, or the first one. */
export const endpointOf = (endpoints: readonly Endpoint[], { endpoint }: Settings): Endpoint | undefined =>
  endpoints.find(({ slug }) => slug === endpoint) ?? endpoints[0]

/** How settings are said in a line: voice, style, speed and silence. Inputs by the titles of their fields. */
export function settingsInWords(endpoints: readonly Endpoint[], settings: Settings, whole: Settings): string {
  const endpoint = endpointOf(endpoints, whole)
  const voice = endpoint?.voices.find(({ slug }) => slug === settings.voice)?.name ?? settings.voice
  const inputs = Object.entries(settings.inputs ?? {}).map(([name, value]) =>
    typeof value === 'string' ? value : `${name.replaceAll('_', ' ')} ${JSON.stringify(value)}`,
  )
  const pause = settings.pauseMs == null ? [] : [`${settings.pauseMs / 1000} s of silence`]
  return [...(voice == null ? [] : [voice]), ...inputs, ...pause].join(' · ')
}
