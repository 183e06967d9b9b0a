/** What a proxy takes off the path before it asks this service, and what addresses of this service need in front; empty without one. */
export const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
