/**
 * Where `?to=` leads after the sign-in: the address of a screen from its path on; null where it means anything else, such as another server or the
 * sign-in, however it is written. @param scope the path that all screens lie under
 */
export function returnPath(to: string | undefined, origin: string, scope: string): string | null {
  // Browsers take a backslash for a slash, and leave out tabs and line ends.
  if (to === undefined || !/^\/(?![/\\])/.test(to) || !URL.canParse(to, origin)) return null
  const url = new URL(to, origin)
  return url.origin === origin && isScreen(url.pathname, scope) ? url.pathname + url.search + url.hash : null
}

function isScreen(path: string, scope: string): boolean {
  if (path !== scope && !path.startsWith(`${scope}/`)) return false
  try {
    // The router decodes its parts. What signs in leads here again.
    return !/^\/+(sign-in|enter)\/*$/.test(decodeURIComponent(path.slice(scope.length)))
  } catch {
    return false
  }
}
