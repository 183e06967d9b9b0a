import type { SecretVault } from '../values/secret-vault.ts'
import { EngineError } from './engine.ts'

/** A process finds the keys of speech servers with these. */
export interface KeyParts {
  /** Reads an environment variable, or the file that its `_FILE` names. */
  readonly lookUp: (name: string) => string | undefined
  /** Absent: no sealed key can be opened. */
  readonly vault?: SecretVault
}

interface KeyedBlock {
  readonly base_url: string
  readonly api_key_env?: string | undefined
  readonly api_key_sealed?: string | undefined
}

/** A sealed key opens for its server alone, so a file with another address cannot send it elsewhere. */
const placeOf = (baseUrl: string): string => `engine ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl}`

/** Encrypts a server's key for its engine block. */
export const sealServerKey = (vault: SecretVault, baseUrl: string, key: string): string =>
  vault.seal(placeOf(baseUrl), Buffer.from(key)).toString('base64url')

/** The key of a server; undefined if it needs none. @throws EngineError INTERNAL_ERROR, which says what the operator must mend */
export function serverKey(block: KeyedBlock, { lookUp, vault }: KeyParts): string | undefined {
  const { api_key_env: name, api_key_sealed: sealed, base_url: address } = block
  if (sealed !== undefined) return openServerKey(vault, address, sealed)
  if (name === undefined) return undefined
  const key = lookUp(name)
  if (key !== undefined) return key
  throw new EngineError(
    'INTERNAL_ERROR',
    `api_key_env names ${name}, which is not set here, or is a setting of Sonant, which no server gets.`,
  )
}

/** @throws EngineError INTERNAL_ERROR if the key was sealed for another server, or under another SECRET_KEY */
export function openServerKey(vault: SecretVault | undefined, baseUrl: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const place = placeOf(baseUrl)
  if (vault?.opens(place, bytes) === true) return vault.open(place, bytes).toString()
  throw new EngineError(
    'INTERNAL_ERROR',
    'api_key_sealed does not open here: it was made for another server, or under another SECRET_KEY.',
  )
}

/** The same key under the current SECRET_KEY; null if it does not open, and itself if there is nothing to do. */
export function resealServerKey(vault: SecretVault, baseUrl: string, sealed: string): string | null {
  const [place, bytes] = [placeOf(baseUrl), Buffer.from(sealed, 'base64url')]
  if (vault.isCurrent(place, bytes)) return sealed
  return vault.opens(place, bytes) ? sealServerKey(vault, baseUrl, vault.open(place, bytes).toString()) : null
}
