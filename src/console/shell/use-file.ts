import { useEffect, useState } from 'preact/hooks'

/**
 * Loads a part of the page from its own file once it is wanted; null until then.
 * @param onGone called if the file cannot be loaded
 */
export function useFile<Part>(isWanted: boolean, load: () => Promise<Part>, onGone: () => void): Part | null {
  const [loaded, setLoaded] = useState<{ readonly part: Part } | null>(null)
  useEffect(() => {
    if (isWanted && loaded === null) load().then((part) => setLoaded({ part }), onGone)
  }, [isWanted])
  return loaded?.part ?? null
}
