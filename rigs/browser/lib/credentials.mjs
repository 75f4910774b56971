// How a program signs in.
//
// In: a stage. Out: the headers of its requests. Never the token of the address: that one is for one browser.

import { readFileSync } from 'node:fs';

export async function credentials(stage) {
  const { token } = JSON.parse(readFileSync(stage.said.tokenFile, 'utf8'));
  return { authorization: `Bearer ${token}` };
}
