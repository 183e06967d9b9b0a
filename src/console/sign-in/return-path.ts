/**
 * Where `?to=` leads after the sign-in: the address of a screen from its path on; null where it means anything else, such as another server,
 * however it is written. @param scope the path that all screens lie under
 */
export function returnPath(to: string | undefined, origin: string, scope: string): string | null {
  // Browsers take a backslash for a slash, and leave out tabs and line ends.
  if (to === undefined || !/^\/(?![/\\])/.test(to) || !URL.canParse(to, origin)) return null
  const url = new URL(to, origin)
  const isScreen = url.pathname === scope || url.pathname.startsWith(`${scope}/`)
  return url.origin === origin && isScreen ? url.pathname + url.search + url.hash : null
}
