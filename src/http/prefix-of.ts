/** The path of PUBLIC_URL: a proxy removes it from requests, and links to this service begin with it. Empty without a path. */
export const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
