import { useEffect, useState } from 'preact/hooks'

/** What has a file of its own, which is loaded once it is wanted; null until then. @param onGone the file could not be loaded */
export function useFile<Part>(isWanted: boolean, load: () => Promise<Part>, onGone: () => void): Part | null {
  const [loaded, setLoaded] = useState<{ readonly part: Part } | null>(null)
  useEffect(() => {
    if (isWanted && loaded === null) load().then((part) => setLoaded({ part }), onGone)
  }, [isWanted])
  return loaded?.part ?? null
}
