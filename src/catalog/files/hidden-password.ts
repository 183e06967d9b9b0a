/** What stands for a password in an address that is shown. */
const HIDDEN = '********'

/** An address without its password. */
export function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.password === '') return address
  url.password = HIDDEN
  return url.href.replace(/\/+$/, '')
}

/** Where a server is: its address without user, password and query, any of which may be secret. */
export function placeOfServer(address: string): string {
  if (!URL.canParse(address)) return address
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

/** An engine block without the password of its server. */
export function shownEngine<Engine extends object>(engine: Engine): Engine {
  const { base_url: address } = engine as { base_url?: unknown }
  return typeof address === 'string' ? { ...engine, base_url: withoutPassword(address) } : engine
}

/** Whether an address comes from where its password was hidden. */
export const hidesPassword = (address: string): boolean => URL.canParse(address) && new URL(address).password === HIDDEN
