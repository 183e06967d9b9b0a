const HIDDEN = '********'

export function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.password === '') return address
  url.password = HIDDEN
  return url.href.replace(/\/+$/, '')
}

/** The address without user, password and query, which may be secret. */
export function placeOfServer(address: string): string {
  if (!URL.canParse(address)) return address
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

export function shownEngine<Engine extends object>(engine: Engine): Engine {
  const { base_url: address } = engine as { base_url?: unknown }
  return typeof address === 'string' ? { ...engine, base_url: withoutPassword(address) } : engine
}

export const hidesPassword = (address: string): boolean => URL.canParse(address) && new URL(address).password === HIDDEN
