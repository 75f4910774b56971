// Lets this browser in: the token in the address is exchanged, once, for a cookie that no script can read.

const said = new URLSearchParams(location.hash.slice(1)).get('token');

async function enter(token) {
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/api/v1/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-salve': '1' },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    location.reload();
    return;
  }
  const told = await answer.json();
  document.getElementById('entrance').textContent = told.error.message;
}

if (said) {
  enter(said).catch((error) => {
    document.getElementById('entrance').textContent = String(error);
  });
}
